// A worker thread that runs ONNX almost all the time, as the searcher and the embedder do.

import { loadOnnx } from "../../src/native/onnx.ts";
import { VectorMatrix } from "../../src/ranking/vector-matrix.ts";
import { answerRequests } from "../../src/threads/answer-requests.ts";
import { runtime } from "../storage/seam.ts";

const dimensions = 256;
const rows = 20_000;
const vector = new Float32Array(dimensions);
vector[0] = 1;
const matrix = new VectorMatrix(loadOnnx(runtime), dimensions);
for (let row = 0; row < rows; row++) matrix.set(row, vector);

answerRequests((times) => {
  for (let run = 0; run < Number(times); run++) matrix.scores(vector);
  return rows;
});
