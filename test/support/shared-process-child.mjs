// Runs the program named by its argument again and again, for test/support/shared-process.ts: each message of the parent
// is a run, and its answer is what that run printed.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const { main } = createRequire(import.meta.url)(process.argv[2]);
const { writeSync } = fs;
/** Output of the current run, in order: [descriptor, bytes]; null between two runs. */
let written = null;

fs.writeSync = (descriptor, data, ...rest) => {
  if (written === null || (descriptor !== 1 && descriptor !== 2)) return writeSync(descriptor, data, ...rest);
  const bytes = Buffer.from(data);
  written.push([descriptor, bytes]);
  return bytes.length;
};
// The program ends a process that an abandoned command keeps alive: here it would end the later runs.
process.exit = () => undefined;

process.on('message', async ({ args, cwd, env }) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const chunks = [];
  written = chunks;
  const code = await main([process.execPath, 'appreg', ...args]);
  written = null;
  const textOf = (...descriptors) =>
    Buffer.concat(chunks.filter(([to]) => descriptors.includes(to)).map(([, bytes]) => bytes)).toString();
  process.send({ code, stdout: textOf(1), stderr: textOf(2), output: textOf(1, 2) });
});
