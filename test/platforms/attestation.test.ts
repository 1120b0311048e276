import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { flagOf } from '../../src/cli/define/command.ts';
import { attestationCommand } from '../../src/cli/define/attestation.ts';
import { entriesOf } from '../../src/core/values/record.ts';
import { describeOnNodes } from '../support/nodes.ts';
import { requireBuild } from '../support/recorded.ts';
import { openSharedProcess } from '../support/shared-process.ts';
import { SIGSTORE_CASES, sigstoreCase } from '../support/sigstore-cases.ts';

/** The built command line judges attestations on other versions of Node: the verifier is made for newer ones than 20. */

beforeAll(requireBuild);

describeOnNodes('appreg attestation', (node) => {
  const appreg = openSharedProcess(join(import.meta.dirname, '../../dist/node/main.cjs'), { node });
  afterAll(() => appreg.close());

  test.each(SIGSTORE_CASES)('%s', async (name) => {
    const { artifact, options } = sigstoreCase(name);
    const flags = entriesOf(options).flatMap(([option, value]) =>
      value === undefined ? [] : [flagOf(attestationCommand.options[option]), value],
    );
    const { code, stderr } = await appreg.run(['attestation', artifact, ...flags], { cwd: tmpdir() });
    expect(code === 0, stderr).toBe(!name.endsWith('_fail'));
    expect(stderr).not.toContain('bug');
  });
});
