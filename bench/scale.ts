// How fast searches stay: in large projects, beside them, and in many projects; each figure beside its limit in the same run.

import { join } from "node:path";
import { type BenchOptions, copyAlone, measureTable, type Table, temporaryFolder } from "./harness.ts";
import { compareWith } from "./scale-against.ts";
import { openScaleDirectory, projectNamed } from "./scale-directory.ts";
import { count } from "./scale-load.ts";
import { measureOthers } from "./scale-others.ts";
import { measureProjects, projectSize } from "./scale-projects.ts";
import { measureSizes, tiny } from "./scale-sizes.ts";

const comparedMax = 100_000;

export async function scale(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const kept = options.directory ?? folder.path;
  const [smallest = tiny, largest = tiny] = [options.sizes.at(0), options.sizes.at(-1)];
  const compared = options.sizes.findLast((size) => size <= comparedMax) ?? smallest;
  const directory = await openScaleDirectory(
    join(kept, `sizes-${options.sizes.join("-")}`),
    [tiny, ...options.sizes].map(projectNamed),
  );
  const sizes = await measureSizes({ executable, folder: folder.path, directory }, options);
  const against =
    options.against === null
      ? []
      : await compareWith(
          copyAlone(options.against, join(folder.path, "other")),
          join(kept, `against-${compared}`),
          { executable, directory, size: compared },
          options,
        );
  const probed = smallest === largest ? tiny : smallest;
  const others = await measureOthers(executable, directory, { probed, busy: largest }, options);
  const projects = Math.max(1, Math.floor(largest / projectSize));
  const many = await openScaleDirectory(
    join(kept, `projects-${projects}`),
    Array.from({ length: projects }, (_, at) => ({ name: `project ${at}`, size: projectSize })),
  );
  const inTurn = await measureProjects(executable, many, options);
  const note = `Projects with random unit vectors instead of embedded texts (embedding them would take an hour; searching them takes the same time), sentences with common and rare words, default settings. Every query is a new one, and embedded. The raw scan multiplies the same number of vectors, eight bits for each dimension, by one query on one thread of this machine, between the same rounds; nothing that compares all vectors can be faster on one thread. A search over ${tiny} memories takes what every search takes: HTTP, embedding, the record and its commit.`;
  return [
    measureTable("Search at scale", note, [...sizes, ...against]),
    measureTable(
      "Other projects meanwhile",
      `Searches and lists at a steady pace, by turns alone and beside the work. Indexed from nothing: the cache files were removed before the start, and the measurement ends with the answer to the first search of the project of ${count(largest)}.`,
      others,
    ),
    measureTable("Many projects", "One client that searches all of them, one after another.", inTurn),
  ];
}
