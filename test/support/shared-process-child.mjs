// Runs the program named by its argument again and again, for test/support/shared-process.ts: each message of the parent
// is a run, and its answer is what that run printed.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const { main } = createRequire(import.meta.url)(process.argv[2]);
const { writeSync } = fs;
/** What the current run wrote, by descriptor; null between two runs. */
let written = null;

fs.writeSync = (descriptor, data, ...rest) => {
  const chunks = written?.[descriptor];
  if (chunks === undefined) return writeSync(descriptor, data, ...rest);
  const bytes = Buffer.from(data);
  chunks.push(bytes);
  return bytes.length;
};
// The program ends a process that an abandoned command keeps alive: here it would end the later runs.
process.exit = () => undefined;

process.on('message', async ({ args, cwd, env }) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const output = { 1: [], 2: [] };
  written = output;
  const code = await main([process.execPath, 'appreg', ...args]);
  written = null;
  const [stdout, stderr] = [1, 2].map((descriptor) => Buffer.concat(output[descriptor]).toString());
  process.send({ code, stdout, stderr });
});
