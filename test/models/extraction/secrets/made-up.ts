// Makes secrets that nobody has, in the formats of real ones. They are made while the tests run, so that no scanner reports this
// repository for them.

const alphabets = {
  base62: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  hex: "0123456789abcdef",
  upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  digits: "0123456789",
  lower: "abcdefghijklmnopqrstuvwxyz0123456789",
  letters: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  base64url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
} as const;
export type Alphabet = keyof typeof alphabets;

let state = 20_261_122;

/** The same characters in every run; the first three are a letter, a digit and a letter where the alphabet has both. */
export function made(length: number, alphabet: Alphabet = "base62"): string {
  const characters = alphabets[alphabet];
  const forced = [/[a-z]/i, /\d/, /[a-z]/i];
  return Array.from({ length }, (_, at) => {
    for (;;) {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      const character = characters.charAt(Math.floor((state / 2 ** 31) * characters.length));
      const wanted = forced[at];
      if (wanted === undefined || alphabet === "digits" || alphabet === "letters" || wanted.test(character))
        return character;
    }
  }).join("");
}

export function madeUuid(): string {
  return [8, 4, 4, 4, 12].map((length) => made(length, "hex")).join("-");
}

/** A block as ssh-keygen and openssl write it. */
export function madePrivateKey(type = "RSA "): string {
  const lines = Array.from({ length: 12 }, () => made(64)).join("\n");
  return `-----BEGIN ${type}PRIVATE KEY-----\nMII${lines}\n-----END ${type}PRIVATE KEY-----`;
}

export function madeJwt(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return [
    part({ alg: "HS256", typ: "JWT" }),
    part({ sub: "1234567890", name: "Ada", iat: 1_516_239_022 }),
    made(43, "base64url"),
  ].join(".");
}
