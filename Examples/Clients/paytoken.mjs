// Sends tokens to `paytoken decrypt --batch --envelopes`, which keeps running.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class Paytoken {
  constructor(options, milliseconds = 10_000, limit = 1_000) {
    Object.assign(this, { options, milliseconds, limit, count: 0, running: null });
  }

  /** Resolves to the answer; rejects if the process ends or is late, or if too many tokens wait. */
  async decrypt(token, order) {
    const { process, waiting, end } = (this.running ??= this.start());
    if (waiting.size >= this.limit) throw new Error("too many tokens wait for paytoken");
    const id = ++this.count;
    const timer = setTimeout(end, this.milliseconds);
    process.stdin.write(JSON.stringify({ id, token, order }) + "\n");
    const answer = await new Promise((resolve) => waiting.set(id, resolve));
    clearTimeout(timer);
    if (answer?.id !== id) throw new Error("paytoken ended, or its answer is late");
    return answer;
  }

  /** Lets the process end after its answers; the next token starts another one, which loads the keys again. */
  restart() {
    this.running?.process.stdin.end();
    this.running = null;
  }

  start() {
    const words = ["decrypt", "--batch", "--envelopes", ...this.options];
    const process = spawn("paytoken", words, { stdio: ["pipe", "pipe", "inherit"] });
    const waiting = new Map();
    const end = () => {
      if (this.running?.process === process) this.running = null;
      process.stdout.destroy(); // an answer that comes now is not written, and its claim is released
      process.kill();
      waiting.forEach((resolve) => resolve());
      waiting.clear();
    };
    process.on("error", end).on("close", end).stdin.on("error", end);
    createInterface({ input: process.stdout }).on("line", (line) => {
      const id = Number(line.match(/^{"id":(\d+),.*}$/)?.[1]);
      waiting.get(id)?.(JSON.parse(line));
      waiting.delete(id);
    });
    return { process, waiting, end };
  }
}
