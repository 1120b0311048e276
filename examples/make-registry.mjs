// A small real registry, made from nothing: scaffolded, two apps added, built and published, linted. For the demo and
// the sandbox; it is kept in examples/out.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * Makes the registry and returns its folder.
 * @param appreg the program to run @param isShown whether commands and their output are printed
 */
export function makeRegistry(appreg, isShown = true) {
  const out = join(here, 'out');
  rmSync(out, { recursive: true, force: true });
  run('init', out, '--base-url', 'https://apps.example.com/', '--yes');
  add('feed-watch', 'Feed Watch', 'Emits an event for each new item of an RSS or Atom feed.', '#d9480f');
  add('business-hours', 'Business Hours', 'Counts deadlines in working hours and holds events back outside of them.', '#1864ab');
  run('bundle', '../apps/feed-watch/main.ts', 'build/feed-watch.tar.gz', { in: out });
  run('checksum', 'build/feed-watch.tar.gz', { in: out });
  run('publish-version', 'feed-watch', '1.0.0', '--artifact', 'build/feed-watch.tar.gz', { in: out });
  run('publish-version', 'business-hours', '1.0.0', '--entry', '../apps/business-hours/main.ts', '--ui', '../apps/business-hours/ui.tsx', { in: out });
  run('lint', { in: out });
  run('site', 'site', { in: out });
  return out;

  function add(key, name, description, color) {
    run('add-app', key, '--name', name, '--description', description, '--icon', `../apps/${key}/icon.svg`, '--color', color, { in: out });
  }

  /** Runs appreg, shows the command and what it prints, and ends here if it fails. */
  function run(...args) {
    const options = typeof args.at(-1) === 'object' ? args.pop() : {};
    const cwd = options.in ?? here;
    if (isShown) show(args, cwd);
    const { status, signal, stderr } = spawnSync(process.execPath, [appreg, ...args], { cwd, stdio: isShown ? ['ignore', 'inherit', 'inherit'] : 'pipe' });
    // Ctrl+C ends both.
    if (status === 130 || signal === 'SIGINT') process.exit(130);
    if (status !== 0) throw new Error(`appreg ${args[0]} ended with ${status}${stderr ? `: ${stderr}` : ''}`);
  }
}

/** Prints a command of appreg as it would be typed in the folder `cwd`. */
export function show(words, cwd) {
  const shown = words.map((word) => (isAbsolute(word) ? shownPath(cwd, word) : word)).map((word) => (/[\s#]/.test(word) ? `'${word}'` : word));
  process.stdout.write(`\n$ appreg ${shown.join(' ')}\n`);
}

/** Relative to `cwd`, unless it is neither below it nor below its parent. */
function shownPath(cwd, path) {
  const shown = relative(cwd, path) || '.';
  return shown.startsWith(join('..', '..')) ? path : shown;
}
