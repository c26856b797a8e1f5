// Owns the ONNX model of one matrix product, written directly as protobuf. Must never become an ONNX library.

import { bytes, text, varint } from "../native/protobuf.ts";

/** Names of the graph's inputs and output. */
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
const float32 = 1;

/** `scores[n,q] = matrix[n,dimensions] x queries[dimensions,q]`, all float32, n and q free. ONNX opset 13. */
export function matmulGraph(dimensions: number): Uint8Array {
  const { matrix, queries, scores } = matmulNames;
  const graph = [
    ...bytes(Graph.node, [
      ...text(Node.input, matrix),
      ...text(Node.input, queries),
      ...text(Node.output, scores),
      ...text(Node.opType, "MatMul"),
    ]),
    ...text(Graph.name, "scores"),
    ...bytes(Graph.input, tensor(matrix, "n", dimensions)),
    ...bytes(Graph.input, tensor(queries, dimensions, "q")),
    ...bytes(Graph.output, tensor(scores, "n", "q")),
  ];
  const model = [
    ...varint(Model.irVersion, 8),
    ...bytes(Model.graph, graph),
    ...bytes(Model.opsetImport, varint(Opset.version, 13)),
  ];
  return Uint8Array.from(model);
}

function tensor(name: string, ...shape: readonly (number | string)[]): number[] {
  const dimensions = shape.flatMap((size) =>
    bytes(
      Shape.dimension,
      typeof size === "number" ? varint(Dimension.value, size) : text(Dimension.parameter, size),
    ),
  );
  const type = [...varint(TensorType.elementType, float32), ...bytes(TensorType.shape, dimensions)];
  return [...text(ValueInfo.name, name), ...bytes(ValueInfo.type, bytes(Type.tensor, type))];
}
