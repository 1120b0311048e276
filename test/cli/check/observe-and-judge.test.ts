import { message } from '../../../src/core/text/message.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { describeProgress } from '../../../src/cli/check/observe-and-judge.ts';
import * as streams from '../../../src/cli/io/streams.ts';
import { openTerminal, type Terminal } from '../../../src/cli/io/terminal.ts';
import type { Figures } from '../../../src/observe/registry/part.ts';

// Its exports can only be replaced if they are mocked.
vi.mock('../../../src/cli/io/streams.ts', { spy: true });

const START = { done: 0, known: 1, bytes: 0, announced: 0, host: null, app: null };

const line = (seconds: number, progress: Partial<Figures>): string =>
  describeProgress({ ...START, ...progress }, seconds);

describe('a progress line', () => {
  test('shows the files and bytes done and remaining, the rate and the host', () => {
    expect(line(2, { done: 3, known: 8, bytes: 5e6, announced: 2e7, host: 'apps.example.com', app: 'a' })).toBe(
      '3 of 8 files, 5.0 of 20 MB at 2.5 MB/s, apps.example.com, a',
    );
  });

  test('shows no remaining bytes if no length was announced', () => {
    expect(line(1, { bytes: 1e6, announced: 1e6 })).toBe('0 of 1 files, 1.0 MB at 1.0 MB/s');
  });

  test('omits an app key that a log could interpret as a command', () => {
    expect(line(0, { app: '##[error]x' })).not.toContain('#');
  });

  test('shortens a long app key', () => {
    expect(line(0, { app: 'x'.repeat(10_000) }).length).toBeLessThan(120);
  });
});

const openTestTerminal = (quiet: boolean): Promise<Terminal> =>
  openTerminal({ quiet, verbose: false, color: false, yes: true, env: {} });

describe('progress without a terminal on stderr', () => {
  let written: string[];
  beforeEach(() => {
    vi.useFakeTimers();
    written = [];
    vi.spyOn(streams, 'isTerminal').mockReturnValue(false);
    vi.spyOn(streams, 'toStderr').mockImplementation((text) => void written.push(text));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  test('prints nothing for short work', async () => {
    const progress = (await openTestTerminal(false)).progress(message`Asking apps.example.com`);
    progress.update(() => message`1 of 2 files`);
    vi.advanceTimersByTime(4900);
    progress.stop();
    vi.advanceTimersByTime(60_000);
    expect(written).toEqual([]);
  });

  test('prints the latest state every five seconds, on its own line and escaped', async () => {
    const progress = (await openTestTerminal(false)).progress(message`Asking apps.example.com`);
    vi.advanceTimersByTime(5000);
    progress.update(() => message`1 of 2 files, ${'\u001b[2Jx\n::error::'}`);
    vi.advanceTimersByTime(5000);
    vi.advanceTimersByTime(5000);
    progress.stop();
    expect(written).toEqual([
      'Asking apps.example.com\n',
      '1 of 2 files, \\u{1b}[2Jx\\u{a}::error::\n',
      '1 of 2 files, \\u{1b}[2Jx\\u{a}::error::\n',
    ]);
  });

  test('prints nothing with --quiet', async () => {
    (await openTestTerminal(true)).progress(message`Asking`);
    vi.advanceTimersByTime(60_000);
    expect(written).toEqual([]);
  });
});
