// Asks paytoken-testing. With SKIP_SIGNING_TIME in the environment it does not compare the signing time.
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

const keys = ["--keys", "keys"];
const judge = spawn("paytoken-testing", ["conform", "-", "--trust-anchor", "root.pem", ...keys], { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: judge.stdout })[Symbol.asyncIterator]();
// Node ends although the process still runs.
for (const handle of [judge, judge.stdin, judge.stdout]) handle.unref();

export async function verify(token, now) {
  judge.stdout.ref();
  judge.stdin.write(JSON.stringify({ now: now.toISOString().replace(".000", ""), tokenBase64: token.toString("base64") }) + "\n");
  let answer = (await answers.next()).value;
  judge.stdout.unref();
  if (process.env.SKIP_SIGNING_TIME && answer.includes('"stage":"signing-time"')) {
    const words = ["decrypt", "--any-age", "--reveal", "--test-trust-anchor", "root.pem", ...keys];
    answer = spawnSync("paytoken", words, { input: token }).stdout.toString();
  }
  const found = /"paymentData":(.*)}$/m.exec(answer);
  if (!found) throw new RangeError(answer);
  return found[1];
}
