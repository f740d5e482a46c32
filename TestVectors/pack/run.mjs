// node run.mjs CASES VERIFIER > ANSWERS
//
// Calls the function verify of the module VERIFIER for each case, and writes the answers that `paytoken-testing conform --check` judges:
//
//     export async function verify(token, now)
//
// token is a Buffer with the body of the request, byte for byte, and now a Date, the time of its receipt. The function, which need
// not be asynchronous, returns the decrypted payment data as JSON, in a string. It throws if it refuses the token; everything that
// is thrown counts as a refusal.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [cases, verifier] = process.argv.slice(2);
if (!verifier) {
  console.error("usage: node run.mjs CASES VERIFIER > ANSWERS");
  process.exit(2);
}
const { verify } = await import(pathToFileURL(resolve(verifier)));

let accepted = 0;
const refusals = new Map();
for (const line of readFileSync(cases, "utf8").trimEnd().split("\n")) {
  const { id, tokenBase64, now } = JSON.parse(line);
  const begin = `{"id":${JSON.stringify(id)},"status":`;
  try {
    const payment = await verify(Buffer.from(tokenBase64, "base64"), new Date(now));
    // An answer is one line.
    process.stdout.write(`${begin}"ok","paymentData":${payment.replace(/[\r\n]/g, " ")}}\n`);
    accepted += 1;
  } catch (refusal) {
    process.stdout.write(`${begin}"error"}\n`);
    const kind = refusal?.constructor?.name ?? String(refusal);
    refusals.set(kind, (refusals.get(kind) ?? 0) + 1);
  }
}
console.error(`accepted: ${accepted}`);
for (const [kind, count] of refusals) console.error(`refused with ${kind}: ${count}`);
