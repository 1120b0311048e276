// Writes what release --check and diff found into one note of a GitLab merge request:
//   node gitlab-note.mjs release=release.md diff=diff.md
// Each file is a section, which replaces that of the last pipeline. A note that cannot be written fails nothing.
import { existsSync, readFileSync } from 'node:fs';
import { CommentError, gitlabHost, updateComment } from './comment.mjs';

const {
  CI_API_V4_URL: api,
  CI_MERGE_REQUEST_PROJECT_ID: project,
  CI_MERGE_REQUEST_IID: number,
  CI_MERGE_REQUEST_PROJECT_URL: url,
  GITLAB_TOKEN: token,
} = process.env;

/** The Markdown of a report; null if it has neither a table nor a warning. */
function reportIn(file) {
  const text = readFileSync(file, 'utf8').trim();
  return /^(\||\*\*)/m.test(text) ? text : null;
}

async function main(words) {
  if (!api || !project || !number) return 'No note was written: this is not a pipeline of a merge request.';
  if (!token)
    return 'No note was written: the variable GITLAB_TOKEN is not set. It is a project access token with the scope api.';
  const place = { api, project, number: Number(number), token, url: `${url}/-/merge_requests/${number}` };
  const host = gitlabHost(place);
  let note = null;
  for (const word of words) {
    const [name, file] = word.split('=');
    if (name && file && existsSync(file)) note = await updateComment(host, name, reportIn(file));
  }
  return note === null ? 'Nothing to report: no note was written.' : `The note: ${note}`;
}

try {
  process.stdout.write(`${await main(process.argv.slice(2))}\n`);
} catch (error) {
  if (!(error instanceof CommentError)) throw error;
  process.stdout.write(`The note was not written: ${error.message}\n`);
}
