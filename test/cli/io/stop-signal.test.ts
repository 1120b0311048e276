import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { DUPLICATE_WITHIN, redeliver, untilSignal } from '../../../src/cli/io/stop-signal.ts';
import { superviseCommand } from '../../../src/cli/process/supervise.ts';
import { newJournal } from '../../../src/store/journal.ts';

afterEach(() => void vi.restoreAllMocks());

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a second %s reaches the listener that reports it, and is not sent to the process',
  async (signal) => {
    // On Windows, process.kill ends the process whatever its listeners.
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const second: string[] = [];
    const command = superviseCommand(
      () => untilSignal((stopped) => sleep(60_000, undefined, { signal: stopped, ref: false }).catch(() => sleep(400))),
      {
        journal: newJournal(),
        onWaiting() {},
        onSecond(name) {
          second.push(name);
          throw new Error('ended');
        },
      },
    );
    process.emit(signal, signal);
    await sleep(DUPLICATE_WITHIN + 20);
    expect(() => process.emit(signal, signal)).toThrow('ended');
    expect(second).toEqual([signal]);
    expect(kill).not.toHaveBeenCalled();
    await command;
    expect(process.listenerCount(signal)).toBe(0);
  },
);

test('a signal without a listener has its default effect', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  redeliver('SIGTERM');
  expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGTERM');
});
