// Writes the bill of materials of an executable: CycloneDX 1.6, as JSON. The same input gives the same bytes.

import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import type { Component } from "./components.ts";
import { licenceIds } from "./licences.ts";

export type Subject = Readonly<{
  version: string;
  commit: string;
  target: string;
  /** SHA-256 of the executable, lower-case hex. */
  sha256: string;
  seconds: number;
}>;

/** Text with a line break at the end. @throws Error when the document does not match the schema of CycloneDX */
export async function billOfMaterials(subject: Subject, components: readonly Component[]): Promise<string> {
  const { version, commit, target, sha256, seconds } = subject;
  const self = `memledger@${version}`;
  const refs = (part: Component["part"]) =>
    components.filter((component) => component.part === part).map(({ purl }) => purl);
  const [bun = "", ...bunLibraries] = refs("runtime");
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    // Derived from the content, because a random one would differ between two builds of one commit.
    serialNumber: `urn:uuid:${Bun.randomUUIDv5(`${self} ${target} ${sha256}`, "url")}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      component: {
        "bom-ref": self,
        type: "application",
        name: "memledger",
        version,
        licenses: [{ license: { id: "Apache-2.0" } }],
        hashes: [{ alg: "SHA-256", content: sha256 }],
        purl: `pkg:generic/memledger@${version}?arch=${target}`,
        properties: [
          { name: "memledger:commit", value: commit },
          { name: "memledger:target", value: target },
        ],
      },
    },
    components: components.map(entry),
    dependencies: [
      {
        ref: self,
        dependsOn: [
          bun,
          ...refs("program"),
          ...refs("libraries"),
          ...refs("model"),
          ...refs("API reference"),
        ],
      },
      { ref: bun, dependsOn: bunLibraries },
    ],
  };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  const problems = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  if (problems !== null)
    throw new Error(`The bill of materials is not valid CycloneDX: ${JSON.stringify(problems)}`);
  return text;
}

function entry(component: Component): object {
  const { part, name, version, licence, copyright, homepage, purl, hash, hashOf } = component;
  const isOne = licenceIds(licence).length === 1;
  return {
    "bom-ref": purl,
    type: part === "model" ? "machine-learning-model" : "library",
    name,
    version,
    licenses: [isOne ? { license: { id: licence } } : { expression: licence }],
    copyright,
    purl,
    hashes: [{ alg: hash.algorithm, content: hash.hex }],
    // A library that is linked into another file has no file of its own.
    ...(hashOf === null ? {} : { properties: [{ name: "memledger:hash-of", value: hashOf }] }),
    ...(homepage === null ? {} : { externalReferences: [{ type: "website", url: homepage }] }),
  };
}
