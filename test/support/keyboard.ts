import { spawn, spawnSync } from 'node:child_process';

/** A shell at a terminal, with simulated typing. */

/** True if typing in a shell can be simulated: it and `script` (util-linux), which creates a terminal, are installed. */
export function canType(shell: string): boolean {
  return isInstalled(shell) && isInstalled('script') && process.platform === 'linux';
}

export function isInstalled(program: string): boolean {
  return !spawnSync(program, ['--version'], { stdio: 'ignore' }).error;
}

/** With the key bindings of Emacs, regardless of the user's editor. */
const START: Record<string, string> = { bash: 'bash --norc --noprofile -i', zsh: 'zsh -f -i -o emacs' };

export interface Keyboard {
  /**
   * Types keys on an empty line, and gives what the shell has written since: until it holds `wanted` or, for a test
   * that fails, five seconds have gone by.
   */
  type(keys: string, wanted: string): Promise<string>;
  close(): void;
}

/** Starts a shell at a terminal, and has it run `setup`. */
export async function keyboard(
  shell: string,
  setup: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Keyboard> {
  const child = spawn('script', ['-qec', START[shell]!, '/dev/null'], { cwd, env: { ...env, TERM: 'dumb' } });
  let screen = '';
  child.stdout.on('data', (chunk) => (screen += chunk));
  const until = async (text: string, from: number, ms: number): Promise<void> => {
    for (const end = Date.now() + ms; !screen.includes(text, from) && Date.now() < end;)
      await new Promise((done) => setTimeout(done, 10));
  };
  // Put together by the shell, so that the echo of the command is not taken for it.
  child.stdin.write(`${setup}; PS1='> '; printf 'at %s\\n' work\n`);
  await until('at work', 0, 15_000);
  return {
    async type(keys, wanted) {
      const from = screen.length;
      child.stdin.write(`${CLEAR}${keys}`);
      await until(wanted, from, 5000);
      return screen.slice(from);
    },
    close: () => child.kill('SIGKILL'),
  };
}

/** Ctrl+E, Ctrl+U: to the end of the line, and everything before it gone. */
const CLEAR = '\x05\x15';
