import { afterEach, describe, expect, test } from 'vitest';
import { DatabaseMonitor } from '../../src/db/monitor.ts';
import { openLog } from '../../src/log.ts';
import { databaseFault } from '../../src/db/error.ts';

const errorWith = (code: string, message = 'failed'): Error => Object.assign(new Error(message), { code });

describe('the fault of the database is recognized', () => {
  test.each([
    ['53100', 'disk-full'],
    ['53200', 'overloaded'],
    ['53300', 'overloaded'],
    ['57P01', 'unreachable'],
    ['57P03', 'unreachable'],
    ['57014', 'overloaded'],
    ['25006', 'read-only'],
    ['58030', 'disk-error'],
    ['08006', 'unreachable'],
    ['40P01', 'overloaded'],
    ['ECONNREFUSED', 'unreachable'],
    ['ECONNRESET', 'unreachable'],
    ['23505', null],
    ['42P01', null],
    ['', null],
  ])('by the code %s', (code, fault) => {
    expect(databaseFault(errorWith(code))).toBe(fault);
    // A copy of an error.
    expect(databaseFault({ code, message: 'failed' })).toBe(fault);
  });

  test.each([
    ['Connection terminated unexpectedly', 'unreachable'],
    ['Client has encountered a connection error and is not queryable', 'unreachable'],
    ['timeout exceeded when trying to connect', 'overloaded'],
    ['Query read timeout', 'overloaded'],
    ['could not write to file "base/5/1": No space left on device', 'disk-full'],
    ['Cannot read properties of undefined', null],
  ])('by the message %s', (message, fault) => {
    expect(databaseFault(new Error(message))).toBe(fault);
  });
});

describe('the monitor', () => {
  let monitor: DatabaseMonitor | null = null;
  afterEach(() => monitor?.stop());

  /** A monitor whose probes fail with `state.error`. */
  function start(now?: () => number) {
    const state = { error: null as Error | null, probes: 0, previous: [] as unknown[], delay: 0 };
    const lines: string[] = [];
    monitor = new DatabaseMonitor(
      async (previous) => {
        state.probes += 1;
        state.previous.push(previous);
        if (state.error !== null) throw state.error;
      },
      openLog((line) => void lines.push(line)),
      { eventLoop: { delaySince: () => state.delay }, ...(now && { now }) },
    );
    const events = (): unknown[] => lines.map((line) => JSON.parse(line).event);
    return { state, monitor, events };
  }

  test('finds no fault after the error of one connection', async () => {
    const { state, monitor: one, events } = start();
    expect(one.report(errorWith('57P01'))).toBe('unreachable');
    expect(await one.check()).toBe(null);
    expect([one.fault(), state.probes, events()]).toEqual([null, 1, ['database-error']]);
    expect(one.report(new TypeError('a defect'))).toBe(null);
  });

  test('logs an outage once, and its end, however many statements fail', async () => {
    const { state, monitor: one, events } = start();
    let recoveries = 0;
    one.onRecovery(() => (recoveries += 1));
    state.error = errorWith('ECONNREFUSED');
    for (let i = 0; i < 100; i++) one.report(errorWith('ECONNREFUSED'));
    expect(await one.check()).toBe('unreachable');
    expect(await one.waitUntilAvailable(100)).toBe(false);
    state.error = null;
    expect(await one.waitUntilAvailable(5_000)).toBe(true);
    expect([one.fault(), recoveries]).toEqual([null, 1]);
    expect(events()).toEqual(['database-error', 'database-unavailable', 'database-available']);
    expect(state.probes).toBeLessThan(10);
  });

  test('finds the end of an outage by itself', async () => {
    const { state, monitor: one } = start();
    state.error = errorWith('53100');
    expect(await one.check()).toBe('disk-full');
    state.error = null;
    await expect.poll(() => one.fault()).toBe(null);
    // The probe knows that the disk was full, and needs more room.
    expect(state.previous.at(-1)).toBe('disk-full');
  });

  test('does not blame the database for a time limit while this process was busy', async () => {
    const { state, monitor: one, events } = start();
    state.delay = 6_000;
    state.error = new Error('Query read timeout');
    expect(one.report(errorWith('57014'))).toBe('overloaded');
    expect(await one.check()).toBe(null);
    expect(events()).toEqual(['database-error', 'event-loop-delayed']);
    state.delay = 0;
    one.report(errorWith('57014'));
    expect(await one.check()).toBe('overloaded');
  });

  test('blames a database that refuses connections, however busy this process is', async () => {
    const { state, monitor: one } = start();
    state.delay = 6_000;
    state.error = errorWith('ECONNREFUSED');
    expect(await one.check()).toBe('unreachable');
  });

  test.each([
    { delay: 0, found: 'unreachable' },
    { delay: 3_000, found: null },
  ])('a check that takes too long, with a delay of $delay ms', async ({ delay, found }) => {
    const never = new DatabaseMonitor(
      () => new Promise(() => {}),
      openLog(() => {}),
      {
        eventLoop: { delaySince: () => delay },
      },
    );
    expect(await never.checkWithin(20, 'unreachable')).toBe(found);
    never.stop();
  });

  test('probes again at once after a failed statement, and otherwise at intervals', async () => {
    let now = 0;
    const { state, monitor: one } = start(() => now);
    for (let i = 0; i < 10; i++) await one.check();
    expect(state.probes).toBe(1);
    one.report(errorWith('53100'));
    await one.check();
    expect([state.probes, state.previous]).toEqual([2, [null, 'disk-full']]);
    now += 250;
    await one.check();
    expect(state.probes).toBe(3);
  });
});
