// Results of release and diff: for the log, the annotations, the outputs, and the comment on the pull request.

/**
 * @param command release, publish or diff
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
      outputs: { outcome: 'clean', errors: '', warnings: '' },
      isNotable: [apps, vanishing, hosts.added, companions, about].some(({ length }) => length > 0),
    };
  }
  const failing = report.apps.filter(library.needsAttention);
  return {
    text: library.releaseAsText(report),
    markdown: library.releaseAsMarkdown(report),
    annotations: failing.map(({ key, state, message, advice }) => ({
      title: `${state} ${key}`,
      text: [message, advice].filter((part) => part !== null).join('\n'),
    })),
    outputs: { outcome: report.outcome, errors: failing.length, warnings: '' },
    isNotable: report.notable,
  };
}
