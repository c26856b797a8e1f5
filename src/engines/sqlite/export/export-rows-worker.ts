// A thread that turns records into rows, with its own reading connection. The exporter uses several, because reading, decompressing and
// formatting take many times as long as writing.

import { workerData } from "node:worker_threads";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import { answerStoreRequests } from "../threads/answer-requests.ts";
import { createPieces, type PieceOrder } from "./export-rows.ts";

export interface RowsInit {
  readonly file: DatabaseFile;
}

const { file }: RowsInit = workerData;
const toPiece = createPieces(openReading(file));

answerStoreRequests((request) => toPiece(request as PieceOrder), {
  moved: (piece) => ("text" in piece ? [piece.text.buffer] : []),
});
