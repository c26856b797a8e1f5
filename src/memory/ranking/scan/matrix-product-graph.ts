// Owns the ONNX models of one matrix product, written directly as protobuf. Must never become an ONNX library.

import { bytes, text, varint } from "../../../platform/native/protobuf.ts";

/** Names of the graphs' inputs and output. */
export const matmulNames = { matrix: "matrix", queries: "queries", scores: "scores" } as const;

/** Field numbers of onnx.proto3, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3 */
const Model = { irVersion: 1, graph: 7, opsetImport: 8 } as const;
const Opset = { version: 2 } as const;
const Graph = { node: 1, name: 2, input: 11, output: 12 } as const;
const Node = { input: 1, output: 2, opType: 4 } as const;
const ValueInfo = { name: 1, type: 2 } as const;
const Type = { tensor: 1 } as const;
const TensorType = { elementType: 1, shape: 2 } as const;
const Shape = { dimension: 1 } as const;
const Dimension = { value: 1, parameter: 2 } as const;
const ElementType = { float32: 1, uint8: 2, int8: 3, int32: 6 } as const;
type Element = keyof typeof ElementType;

/** `scores[n,q] = matrix[n,dimensions] x queries[dimensions,q]`, all float32, n and q free. ONNX opset 13. */
export function matmulGraph(dimensions: number): Uint8Array {
  return productGraph("MatMul", dimensions, { matrix: "float32", queries: "float32", scores: "float32" });
}

/** The same product of uint8 and int8, exact in int32. */
export function integerMatmulGraph(dimensions: number): Uint8Array {
  return productGraph("MatMulInteger", dimensions, { matrix: "uint8", queries: "int8", scores: "int32" });
}

/** The same product of other elements, as far as ONNX Runtime has a kernel for them. */
export function productGraph(
  operator: "MatMul" | "MatMulInteger",
  dimensions: number,
  elements: Readonly<Record<keyof typeof matmulNames, Element>>,
): Uint8Array {
  const { matrix, queries, scores } = matmulNames;
  const graph = [
    ...bytes(Graph.node, [
      ...text(Node.input, matrix),
      ...text(Node.input, queries),
      ...text(Node.output, scores),
      ...text(Node.opType, operator),
    ]),
    ...text(Graph.name, "scores"),
    ...bytes(Graph.input, tensor(matrix, elements.matrix, "n", dimensions)),
    ...bytes(Graph.input, tensor(queries, elements.queries, dimensions, "q")),
    ...bytes(Graph.output, tensor(scores, elements.scores, "n", "q")),
  ];
  const model = [
    ...varint(Model.irVersion, 8),
    ...bytes(Model.graph, graph),
    ...bytes(Model.opsetImport, varint(Opset.version, 13)),
  ];
  return Uint8Array.from(model);
}

function tensor(name: string, element: Element, ...shape: readonly (number | string)[]): number[] {
  const dimensions = shape.flatMap((size) =>
    bytes(
      Shape.dimension,
      typeof size === "number" ? varint(Dimension.value, size) : text(Dimension.parameter, size),
    ),
  );
  const type = [
    ...varint(TensorType.elementType, ElementType[element]),
    ...bytes(TensorType.shape, dimensions),
  ];
  return [...text(ValueInfo.name, name), ...bytes(ValueInfo.type, bytes(Type.tensor, type))];
}
