// Results of release, assemble and diff: for the log, the annotations, the outputs, and the comment on the pull request.

/**
 * @param command release, publish, assemble or diff
 * @param report its JSON
 * @param library dist/node.js of appreg
 * @returns text for the log; markdown; annotations, each with a title and a text; outputs; and whether there is anything
 * to tell
 */
export function resultOf(command, report, library) {
  if (command === 'diff') {
    const { apps, vanishing, hosts, companions = [], about = [] } = report;
    return {
      text: library.diffAsText(report),
      markdown: library.diffAsMarkdown(report),
      annotations: [],
      outputs: { outcome: 'clean', errors: '', warnings: '', ...changedApps(apps, report.summary) },
      isNotable: [apps, vanishing, hosts.added, companions, about].some(({ length }) => length > 0),
    };
  }
  if (command === 'assemble') {
    const text = `${report.apps} ${report.apps === 1 ? 'app' : 'apps'}, no errors`;
    return {
      text,
      markdown: `### ${text}`,
      annotations: [],
      outputs: { outcome: 'clean', errors: '', warnings: '', counts: JSON.stringify({ apps: report.apps }) },
      isNotable: false,
    };
  }
  const failing = report.apps.filter(library.needsAttention);
  const lost = report.withoutFolder.filter(library.isFolderLost);
  return {
    text: library.releaseAsText(report),
    markdown: library.releaseAsMarkdown(report),
    annotations: failing
      .map((app) => ({
        title: `${library.releaseLabel(app)} ${app.key}`,
        text: library.remarksOn(app).join('\n'),
      }))
      .concat(lost.map(({ key, message, advice }) => ({ title: `no folder ${key}`, text: `${message}\n${advice}` }))),
    outputs: {
      outcome: report.outcome,
      errors: failing.length + lost.length,
      warnings: '',
      ...changedApps(
        report.apps.filter((app) => !SAME.has(library.releaseLabel(app))),
        report.summary,
      ),
    },
    isNotable: report.notable,
  };
}

/** The labels of apps of which subscribers get nothing else. */
const SAME = new Set(['unchanged', 'rebuilt']);

/**
 * The keys as JSON, for `fromJSON` in a matrix, and numbers by state.
 * @param apps those that changed
 * @param summary numbers by state
 */
function changedApps(apps, summary) {
  return { apps: JSON.stringify(apps.map(({ key }) => key)), counts: JSON.stringify(summary) };
}
