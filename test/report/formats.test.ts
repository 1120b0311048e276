import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { render } from '../../src/report/index.ts';
import { DEFAULTS, FORMATS } from '../../src/report/options.ts';
import { runs } from '../support/property-runs.ts';
import { HOSTILE, hostile, NOTHING, report } from '../support/reports.ts';

/** What holds of every format; each has its own file for the rest. */

// Commands of CI systems: GitHub's `::name::` at the start of a line and `##[name]` anywhere, Azure's, TeamCity's,
// GitLab's section markers (which need a carriage return).
const OWN_COMMAND = /^::(error|warning|notice) (file=[^:,]*,line=\d+(,col=\d+)?,)?title=[^:,]*::/;
const COMMAND = /^\s*::[a-z-]+|##(\[|vso\[|teamcity\[)|section_(start|end):.*\r/i;

describe.each(FORMATS)('the format %s', (format) => {
  const show = (text: string): string => render(hostile(text), format, { ...DEFAULTS, verbose: true, maxWarnings: 0 });

  function holds(text: string): void {
    const shown = show(text);
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Cs}/u,
    );
    const lines = shown.split('\n');
    const others = lines.filter((line) => format !== 'github' || !OWN_COMMAND.test(line));
    expect(others.filter((line) => COMMAND.test(line))).toEqual([]);
    if (format === 'github') expect(lines.slice(0, -1).filter((line) => !OWN_COMMAND.test(line))).toEqual([]);
  }

  test.each(HOSTILE)('contains no terminal control characters and no commands for CI systems: %j', holds);

  test('contains neither for any text', () => {
    const marks = fc.string({ unit: fc.constantFrom(...':#[]tervso\r\n\u001b %'), maxLength: 30 });
    fc.assert(fc.property(fc.oneof(marks, fc.string({ unit: 'binary' })), holds), { numRuns: runs(25) });
  });

  test('is not empty and does not end with a line feed', () => {
    for (const one of [report(), NOTHING]) {
      expect(render(one, format, DEFAULTS)).not.toBe('');
      expect(render(one, format, DEFAULTS)).not.toMatch(/\n$/);
    }
  });
});
