import { message } from '../../text/message.ts';
import { counted, safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const baseUrlMismatched = defineRule({
  id: 'base-url-mismatched',
  title: 'Base URL that does not fit the manifest',
  on: 'manifest',
  needs: ['otherBase'],
  severity: 'error',
  spec: null,
  symptom: null,
  owner: 'author',
  workspaceOnly: true,
  causes: {
    'no-app': { title: 'No app is listed below the base URL, and files of the workspace are listed below another one' },
    'some-apps': { title: 'Some apps are listed below a similar base URL' },
  },
  failsWhen:
    '(workspace) the metadata URLs of the manifest name files of the workspace below another base URL than the configured one: those of all apps, or those of some apps if the two differ only in the scheme, a port or “www.”. Metadata files that are not in the workspace may be anywhere',
  why: 'Subscribers use the addresses in the manifest. Commands that publish would write other ones, and a file that no URL names is not checked.',
  examples: {
    bad: `// baseUrl: https://www.apps.example.com/
// file: apps/echo.json
{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/apps/echo.json" }
} }`,
    good: `// baseUrl: https://apps.example.com/
// file: apps/echo.json
{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/apps/echo.json" }
} }`,
  },
  check({ otherBase }) {
    if (otherBase === null) return null;
    const { configured, shown, apps, isPart } = otherBase;
    return {
      cause: isPart ? 'some-apps' : 'no-app',
      message: message`The configuration has the baseUrl “${safeExcerpt(configured)}”, but the manifest lists ${counted(apps, 'app')} of this workspace below “${safeExcerpt(shown)}”.`,
      advice: isPart
        ? message`Correct the URLs in the manifest: all files of the workspace are served at one base URL.`
        : message`Correct "baseUrl", if subscribers use the addresses in the manifest; otherwise correct these.`,
      evidence: { baseUrl: configured, shown, apps },
    };
  },
});
