import * as tar from '../../support/tar-builder.ts';
import type { ArchiveFacts } from '../../../src/core/facts/facts.ts';

/** Archives and shorthands for the tests of readArchive(). */

export const { entry, header, tgz, tgzOpen } = tar;

export const APP = entry('app.js', 'export {};\n');

export const codes = (facts: ArchiveFacts) => facts.oddities.map((oddity) => oddity.code);

export const fault = (facts: ArchiveFacts) => facts.fault && `${facts.fault.layer} ${facts.fault.code}`;
