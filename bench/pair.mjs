// Times two commands in turn, A B A B …, as whole processes, and prints medians and the ratio pair by pair.
import { spawnSync } from 'node:child_process';

const env = { ...process.env };
// It costs Node 20 about 45 ms at each start.
delete env.NODE_EXTRA_CA_CERTS;

/** Seconds of CPU time (user and system, children included) and peak memory in MB of one run (GNU time). Throws for an unexpected exit code. */
function once([command, ...args], cwd, status = 0) {
  const run = spawnSync('/usr/bin/time', ['-f', '%U %S %M', command, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (run.status !== status) throw new Error(`${command} ${args.join(' ')} ended with ${run.status}: ${run.stderr}`);
  const [user, system, memory] = run.stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return { cpu: user + system, memory: memory / 1024 };
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/**
 * Runs the pair after one warm-up of each; prints and returns a row of the table.
 * @param options.statuses the expected exit codes of both commands
 */
export function pair(name, ours, theirs, { runs = 7, cwd = process.cwd(), statuses = [0, 0] } = {}) {
  const seconds = [[], []];
  const memory = [[], []];
  const cpu = [[], []];
  for (let round = -1; round < runs; round++) {
    for (const [side, command] of [ours, theirs].entries()) {
      const start = performance.now();
      const used = once(command, cwd, statuses[side]);
      if (round < 0) continue;
      seconds[side].push((performance.now() - start) / 1000);
      memory[side].push(used.memory);
      cpu[side].push(used.cpu);
    }
  }
  const ratioOf = ([first, second]) => median(first.map((value, i) => value / second[i]));
  const row = {
    name,
    ours: median(seconds[0]),
    theirs: median(seconds[1]),
    ratio: ratioOf(seconds),
    cpu: median(cpu[0]),
    cpuRatio: ratioOf(cpu),
    memory: median(memory[0]),
    theirMemory: median(memory[1]),
  };
  console.log(
    `${name}: ${row.ours.toFixed(3)} s against ${row.theirs.toFixed(3)} s, ratio ${row.ratio.toFixed(2)} (CPU time ${row.cpuRatio.toFixed(2)}); peak ${Math.round(row.memory)} MB against ${Math.round(row.theirMemory)} MB (${runs} pairs)`,
  );
  return row;
}

/**
 * Runs a command on inputs of several sizes, and prints the slopes of log time over log size from each to the next.
 * @param sizes `{ size, command }`, the smallest first
 */
export function slope(name, sizes, { runs = 3, cwd = process.cwd() } = {}) {
  const rows = sizes.map(({ size, command }) => {
    once(command, cwd);
    const times = Array.from({ length: runs }, () => {
      const start = performance.now();
      const { cpu } = once(command, cwd);
      return { time: (performance.now() - start) / 1000, cpu };
    });
    return { size, time: median(times.map(({ time }) => time)), cpu: median(times.map(({ cpu }) => cpu)) };
  });
  const slopes = (of) =>
    rows
      .slice(1)
      .map((row, i) => Math.log(row[of] / rows[i][of]) / Math.log(row.size / rows[i].size))
      .map((value) => value.toFixed(2))
      .join(', ');
  const times = rows.map(({ size, time }) => `${size}: ${time.toFixed(3)} s`).join(', ');
  console.log(`growth of ${name}: ${times}; slopes ${slopes('time')}, of CPU time ${slopes('cpu')}`);
}
