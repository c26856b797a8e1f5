// Owns the list of libraries in Bun's executable, with their licences. Bun states them in its licence file, but no package contains it.
// Check the list when Bun is updated.

export type BunLibrary = Readonly<{
  name: string;
  /** An SPDX expression. */
  licence: string;
  copyright: string;
  homepage: string;
  /** The name of its version or commit in `process.versions`; null if Bun does not say it. */
  versionKey: string | null;
  /** The only operating system for which Bun contains it; null: all. */
  os: string | null;
}>;

const onlyOn: Readonly<Record<string, string>> = { libuv: "win32" };

/** JavaScriptCore may be replaced by a changed version, as its licence demands: Bun's source has the build for it. */
export const relinking = `Bun contains JavaScriptCore and TinyCC, whose licence is the GNU Lesser General Public License. You may change them and
link Bun again. The source of the JavaScriptCore that Bun uses is at https://github.com/oven-sh/WebKit, that of TinyCC at
https://github.com/oven-sh/tinycc, each at the commit above. The source of Bun is at https://github.com/oven-sh/bun, with
instructions for its build. The source of memledger is licensed under Apache-2.0, and its build accepts any executable of Bun.`;

const at = (path: string) => `https://github.com/${path}`;

export const bunLibraries: readonly BunLibrary[] = (
  [
    [
      "WebKit (JavaScriptCore, WTF, bmalloc)",
      "LGPL-2.0-or-later AND BSD-2-Clause",
      "Apple Inc. and contributors",
      at("oven-sh/WebKit"),
      "webkit",
    ],
    [
      "BoringSSL",
      "Apache-2.0 AND BSD-3-Clause AND MIT AND ISC",
      "The BoringSSL and OpenSSL authors, Google LLC",
      at("oven-sh/boringssl"),
      "boringssl",
    ],
    ["brotli", "MIT", "2009-2016 The Brotli Authors", at("google/brotli"), null],
    [
      "c-ares",
      "MIT",
      "1998 Massachusetts Institute of Technology; 2007-2025 Daniel Stenberg and contributors",
      at("c-ares/c-ares"),
      "ares",
    ],
    ["highway", "Apache-2.0", "Google LLC", at("google/highway"), null],
    ["ICU", "Unicode-3.0", "2016-2026 Unicode, Inc.", at("unicode-org/icu"), "icu"],
    [
      "libarchive",
      "BSD-2-Clause",
      "2003-2026 Tim Kientzle and contributors",
      at("libarchive/libarchive"),
      "libarchive",
    ],
    [
      "libbase64",
      "BSD-2-Clause",
      "2005-2007 Nick Galbreath; 2013-2022 Alfred Klomp; 2015-2018 Wojciech Muła; 2016-2017 Matthieu Darbois",
      at("aklomp/base64"),
      null,
    ],
    ["libdeflate", "MIT", "2016 Eric Biggers; 2024 Google LLC", at("ebiggers/libdeflate"), "libdeflate"],
    [
      "libjpeg-turbo",
      "BSD-3-Clause AND IJG AND Zlib",
      "2009-2026 D. R. Commander; 1991-2020 Thomas G. Lane, Guido Vollbeding",
      at("libjpeg-turbo/libjpeg-turbo"),
      null,
    ],
    ["libspng", "BSD-2-Clause", "2018-2023 Randy", at("randy408/libspng"), null],
    ["libuv", "MIT", "2015-present libuv project contributors", at("libuv/libuv"), "uv"],
    ["libwebp", "BSD-3-Clause", "2010 Google Inc.", at("webmproject/libwebp"), null],
    ["llhttp", "MIT", "2018 Fedor Indutny", at("nodejs/llhttp"), "llhttp"],
    [
      "LLVM libc++abi (a fallback of one function)",
      "Apache-2.0 WITH LLVM-exception",
      "The LLVM project",
      at("llvm/llvm-project"),
      null,
    ],
    ["lol-html", "BSD-3-Clause", "2019 Cloudflare, Inc.", at("cloudflare/lol-html"), "lolhtml"],
    ["ls-hpack", "MIT", "2018-2023 LiteSpeed Technologies Inc", at("litespeedtech/ls-hpack"), "lshpack"],
    ["ls-qpack", "MIT", "2018-2023 LiteSpeed Technologies Inc", at("litespeedtech/ls-qpack"), null],
    [
      "lsquic",
      "MIT AND BSD-3-Clause",
      "2017-2026 LiteSpeed Technologies Inc; 2014 The Chromium Authors",
      at("litespeedtech/lsquic"),
      null,
    ],
    ["mimalloc", "MIT", "2018-2026 Microsoft Corporation, Daan Leijen", at("oven-sh/mimalloc"), "mimalloc"],
    [
      "picohttpparser",
      "MIT",
      "2009-2014 Kazuho Oku, Tokuhiro Matsuno, Daisuke Murase, Shigeo Mitsunari",
      at("h2o/picohttpparser"),
      "picohttpparser",
    ],
    ["simdutf", "Apache-2.0", "2021 The simdutf authors", at("simdutf/simdutf"), null],
    ["SQLite (of Bun)", "blessing", "none; in the public domain", "https://sqlite.org", "sqlite"],
    ["TigerBeetle (parts)", "Apache-2.0", "TigerBeetle, Inc.", at("tigerbeetle/tigerbeetle"), null],
    [
      "TinyCC",
      "LGPL-2.1-or-later",
      "2001-2004 Fabrice Bellard, and contributors",
      at("oven-sh/tinycc"),
      "tinycc",
    ],
    ["uucode", "MIT", "Jacob Sandlund", at("jacobsandlund/uucode"), null],
    [
      "uWebSockets and uSockets (fork)",
      "Apache-2.0",
      "Alex Hultman",
      at("jarred-sumner/uwebsockets"),
      "uwebsockets",
    ],
    [
      "zlib-ng",
      "Zlib",
      "1995-2026 Jean-loup Gailly, Mark Adler, and contributors",
      at("zlib-ng/zlib-ng"),
      "zlib",
    ],
    ["zstd", "BSD-3-Clause", "Meta Platforms, Inc. and affiliates", at("facebook/zstd"), "zstd"],
    ["esbuild (parts, ported)", "MIT", "2020 Evan Wallace", at("evanw/esbuild"), null],
    [
      "Node.js (parts, and polyfills from browserify)",
      "MIT",
      "Node.js contributors; the authors of browserify and its packages",
      at("nodejs/node"),
      "node",
    ],
  ] satisfies readonly (readonly [string, string, string, string, string | null])[]
).map(([name, licence, copyright, homepage, versionKey]) => ({
  name,
  licence,
  copyright,
  homepage,
  versionKey,
  os: onlyOn[name] ?? null,
}));
