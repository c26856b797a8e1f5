// Owns which place a value of the setting `keep` means.

import type { Store } from "../../calls/storage/store.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { isInside } from "../backup/backup-target.ts";
import type { Config } from "../config/config.ts";
import { type BucketSettings, createBucketPlace } from "./bucket.ts";
import { createCommandPlace } from "./command.ts";
import { createFolderPlace } from "./folder.ts";
import { parseKeep } from "./keep-setting.ts";
import type { DepositPlace } from "./place.ts";

interface PlaceTools {
  readonly store: Pick<Store, "deposits">;
  readonly clock: Clock;
}

/** @throws Error that says what to do */
export function createPlaces(config: Config, tools: PlaceTools): readonly DepositPlace[] {
  return [...new Set(config.keep)].map((setting) => createPlace(setting, config, tools));
}

function createPlace(setting: string, config: Config, { store, clock }: PlaceTools): DepositPlace {
  const { dataDir } = config;
  const place = parseKeep(setting);
  if (place === null) throw new Error(`not a destination: ${setting}`);
  if (place.kind === "command") return createCommandPlace(setting, place.words);
  if (place.kind === "bucket")
    return createBucketPlace({ ...place, ...bucketSettings(setting, config) }, clock);
  const { path } = place;
  if (isInside(path, dataDir))
    throw new Error(
      `--keep: ${path} is inside the data directory ${dataDir}, so it would be lost and changed together with it. Choose a folder elsewhere, if possible on another disk.`,
    );
  return createFolderPlace(path, { dataDir, store: store.deposits });
}

/** The variables of all programs that use S3. */
function bucketSettings(
  name: string,
  { keepDays: days, keepS3Endpoint: endpoint }: Config,
): Omit<BucketSettings, "bucket" | "prefix"> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  const { AWS_SESSION_TOKEN: token, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  if (!accessKeyId || !secretAccessKey)
    throw new Error(
      `--keep: ${name} needs the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and one of them is not set.`,
    );
  const region = AWS_REGION || AWS_DEFAULT_REGION || "us-east-1";
  return {
    name,
    endpoint,
    region,
    days,
    credentials: { accessKeyId, secretAccessKey, sessionToken: token || null },
  };
}
