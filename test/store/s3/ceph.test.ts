// Scenario: a Ceph cluster starts, which takes most of the time; s3.test.ts has the same contract.
import { describe } from 'vitest';
import { openS3 } from '../../../src/store/s3/s3.ts';
import { cephMissing, openCeph } from '../../support/ceph.ts';
import { storeContract } from '../contract.ts';

const missing = cephMissing();
describe.skipIf(missing !== null && !process.env['CI'])(
  `a real object store${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    storeContract('a bucket of Ceph', async () => {
      const { endpoint, bucket, env, close } = await openCeph();
      const place = { bucket, prefix: 'r/', region: 'eu-central-1', endpoint, env };
      const delays = { requestRetryDelay: 100, visibilityDelay: 100 };
      const open = (): ReturnType<typeof openS3> => openS3({ ...place, ...delays });
      return { store: open(), rival: open(), cleanup: async () => close() };
    });
  },
);
