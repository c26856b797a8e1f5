// A worker thread that runs ONNX almost all the time, as the searcher and the embedder do.

import { rowsPerBlock } from "../../src/memory/ranking/limits.ts";
import { createBlockScan } from "../../src/memory/ranking/scan/block-scan.ts";
import { createRowBlock } from "../../src/memory/ranking/scan/row-block.ts";
import { loadOnnx } from "../../src/platform/native/onnx.ts";
import { answerRequests } from "../../src/platform/threads/answer-requests.ts";
import { runtime } from "../calls/storage/seam.ts";

const dimensions = 256;
const rows = rowsPerBlock;
const vector = new Float32Array(dimensions);
vector[0] = 1;
const { buffer } = createRowBlock(dimensions, rows);
const eligible = new Uint32Array(new SharedArrayBuffer(rows / 8));
const query = { vector, eligible, keywords: null, topK: 1, minSimilarity: 0 };
const scan = createBlockScan(loadOnnx(runtime));

answerRequests((times) => {
  for (let run = 0; run < Number(times); run++)
    scan({ dimensions, blocks: [{ buffer, firstSlot: 0, rows }], queries: [query] });
  return rows;
});
