import { expect, test } from 'vitest';
import { initCommand } from '../../../src/cli/define/init.ts';
import { resolveInputs } from '../../../src/cli/io/prompts.ts';
import { folder } from '../../support/folders.ts';
import { contextIn } from '../author-support.ts';

test.each([true, false])('the value of an optional input has a type that may be missing (%s)', async (isGiven) => {
  const { baseUrl, bucket } = initCommand.options;
  const values = await resolveInputs(contextIn(folder()), {
    baseUrl: { option: baseUrl, given: 'https://apps.example.com/' },
    ...(isGiven && { bucket: { option: bucket, given: 'apps' } }),
  });
  // @ts-expect-error the bucket may be missing
  const lengths = (): number[] => [values!.baseUrl.length, values!.bucket.length];
  if (isGiven) expect(lengths()).toEqual([25, 4]);
  else expect(lengths).toThrow(TypeError);
});
