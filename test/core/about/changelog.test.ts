import { expect, test } from 'vitest';
import { sectionOf } from '../../../src/core/about/changelog.ts';

const KEEP = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-01-31

### Added

- A clock ([#3]).

\`\`\`
## 1.1.0
\`\`\`

## [1.1.0-rc.1] - 2026-01-01

- First.

[#3]: https://a.example/3
[1.2.0]: https://a.example/compare
`;

const CHANGESETS = `# clock

## 1.2.0

### Minor Changes

- 1a2b3c: A clock.

## 1.1.0

### Patch Changes

- Updated dependencies
`;

test.each<[string, string, string, string | null]>([
  ['Keep a Changelog', KEEP, '1.2.0', '### Added\n\n- A clock ([#3]).\n\n```\n## 1.1.0\n```'],
  ['the last section', KEEP, '1.1.0-rc.1', '- First.'],
  ['a version in code', KEEP, '1.1.0', null],
  ['changesets', CHANGESETS, '1.2.0', '### Minor Changes\n\n- 1a2b3c: A clock.'],
  ['the last section of changesets', CHANGESETS, '1.1.0', '### Patch Changes\n\n- Updated dependencies'],
  ['a version that is not there', CHANGESETS, '1.2', null],
  ['a version that begins alike', '## 1.2.01\nx', '1.2.0', null],
  ['a v', '## v1.2.0 (2026-01-31)\nx', '1.2.0', 'x'],
  ['a name', '## clock@1.2.0\nx', '1.2.0', 'x'],
  ['an empty section', '## 1.2.0\n\n## 1.1.0\nx', '1.2.0', null],
  ['Windows line ends', '## 1.2.0\r\nx\r\ny\r\n', '1.2.0', 'x\ny'],
  ['a deeper heading with a version', '## 1.2.0\nx\n### 1.1.0\ny', '1.2.0', 'x\n### 1.1.0\ny'],
  ['a version that a newer section mentions', '## 1.2.0\n### Since 1.1.0\nx\n## 1.1.0\ny', '1.1.0', 'y'],
])('%s', (_, changelog, version, expected) => {
  expect(sectionOf(changelog, version)).toBe(expected);
});
