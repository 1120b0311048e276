// One comment on a pull request, which is updated. It has a section for each check, so that the steps and the jobs of a
// pipeline share it.

const MARK = '<!-- appreg -->';
const SECTION = /<!-- appreg-section (\S+) -->\n([\s\S]*?)\n<!-- appreg-end -->/g;
/** A comment has at most 65,536 characters. */
const MAX_SECTION = 28_000;
const MAX_PAGES = 30;
const ATTEMPTS = 4;
/** Only these authors are trusted to have written the comment; anyone can write the mark. */
const TRUSTED = ['OWNER', 'MEMBER', 'COLLABORATOR'];

/** The host's refusal. `isForbidden`: the token lacks a permission; false for a limit, or a host out of order. */
export class CommentError extends Error {
  constructor(message, isForbidden = false) {
    super(message);
    this.isForbidden = isForbidden;
  }
}

/**
 * Writes a section of the comment. Without a text, the section is removed from an existing comment, and no comment is
 * made.
 * @param host `comments()`, `create(body)`, `update(id, body)` and `remove(id)`, as githubHost() gives them
 * @param name of the section
 * @param text Markdown, or null
 * @returns the comment's URL, or null if there is none
 */
export async function updateComment(host, name, text) {
  const key = name.replaceAll(/[^\w./]+/g, '_') || '_';
  for (let attempt = 1; ; attempt++) {
    const [found] = await host.comments();
    if (!found && text === null) return null;
    const body = withSection(found?.body ?? '', key, text);
    if (found && body === found.body) return found.url;
    const written = found ? await host.update(found.id, body) : await host.create(body);
    // Another job may have written at the same time: the oldest comment is kept, and must have this section.
    const [first] = await host.comments();
    if (first?.body === body && first.id === written.id) return written.url;
    if (first && first.id !== written.id && !found) await host.remove(written.id);
    if (attempt === ATTEMPTS) return first?.url ?? written.url;
  }
}

/** The body of a comment with this section in place of the one with the same name. */
function withSection(body, key, text) {
  const sections = new Map([...body.matchAll(SECTION)].map(([, name, content]) => [name, content]));
  if (text === null) sections.set(key, 'Nothing to report.');
  // A value of the registry must not end the section.
  else sections.set(key, shortened(text).replaceAll('<!--', '<!\u200b--'));
  const parts = [...sections]
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
    .map(([name, content]) => `<!-- appreg-section ${name} -->\n${content}\n<!-- appreg-end -->`);
  return `${MARK}\n${parts.join('\n\n')}\n`;
}

function shortened(text) {
  if (text.length <= MAX_SECTION) return text;
  const kept = text.slice(0, MAX_SECTION);
  return `${kept.slice(0, kept.lastIndexOf('\n'))}\n\nThe rest is in the log of the job.`;
}

/**
 * The comments of a pull request on GitHub.
 * @param place the API's URL, `owner/name`, the number of the pull request, and a token that may write comments
 */
export function githubHost({ api, repository, number, token }) {
  const at = `${api.replace(/\/+$/, '')}/repos/${repository}/issues`;
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'user-agent': 'appreg',
    'x-github-api-version': '2022-11-28',
  };
  const request = (method, url, body) => send(method, url, headers, body);
  return {
    async comments() {
      const found = [];
      for (let page = 1; page <= MAX_PAGES; page++) {
        const comments = await request('GET', `${at}/${number}/comments?per_page=100&page=${page}`);
        found.push(...comments.filter((one) => one.body?.startsWith(MARK) && isTrusted(one)));
        if (comments.length < 100) break;
      }
      return found.toSorted((a, b) => a.id - b.id).map(fromGitHub);
    },
    create: async (body) => fromGitHub(await request('POST', `${at}/${number}/comments`, { body })),
    update: async (id, body) => fromGitHub(await request('PATCH', `${at}/comments/${id}`, { body })),
    remove: (id) => request('DELETE', `${at}/comments/${id}`),
  };
}

function fromGitHub({ id, body, html_url: url }) {
  return { id, body: (body ?? '').replaceAll('\r\n', '\n'), url };
}

function isTrusted({ user, author_association: association }) {
  return user?.type === 'Bot' || TRUSTED.includes(association);
}

/**
 * The notes of a merge request on GitLab.
 * @param place the API's URL, the id of the project, the number of the merge request, and a token that may write notes
 */
export function gitlabHost({ api, project, number, token, url }) {
  const at = `${api.replace(/\/+$/, '')}/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes`;
  const headers = { 'private-token': token, 'content-type': 'application/json', 'user-agent': 'appreg' };
  const request = (method, address, body) => send(method, address, headers, body);
  const read = ({ id, body }) => ({ id, body: body.replaceAll('\r\n', '\n'), url: `${url}#note_${id}` });
  let author = null;
  return {
    async comments() {
      // Others may write the mark, too: only notes of the token's own user are updated.
      author ??= (await request('GET', `${api.replace(/\/+$/, '')}/user`)).id;
      const found = [];
      for (let page = 1; page <= MAX_PAGES; page++) {
        const notes = await request('GET', `${at}?per_page=100&page=${page}&sort=asc&order_by=created_at`);
        found.push(...notes.filter((one) => one.body?.startsWith(MARK) && one.author?.id === author));
        if (notes.length < 100) break;
      }
      return found.toSorted((a, b) => a.id - b.id).map(read);
    },
    create: async (body) => read(await request('POST', at, { body })),
    update: async (id, body) => read(await request('PUT', `${at}/${id}`, { body })),
    remove: (id) => request('DELETE', `${at}/${id}`),
  };
}

const TIMEOUT_MS = 20_000;

/** 404 also is the response to a token that must not see the repository. */
const FORBIDDEN = [401, 403, 404];

/** True for a limit of requests: GitHub also responds to one with 403, and then names the limit in the headers. */
function isRateLimit({ status, headers }) {
  return (
    status === 429 || (status === 403 && (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'))
  );
}

async function send(method, url, headers, body) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error) => {
      // A write without a response may have been made: it is not repeated.
      if (method === 'GET' && attempt < ATTEMPTS) return null;
      throw new CommentError(error.cause?.message ?? error.message);
    });
    if (response?.ok) return response.status === 204 ? null : response.json();
    const isLimited = response !== null && isRateLimit(response);
    const isTransient = response === null || isLimited || response.status >= 500;
    if (!isTransient || attempt === ATTEMPTS) {
      const { message } = await response.json().catch(() => ({}));
      throw new CommentError(
        `${response.status}${typeof message === 'string' ? ` ${message}` : ''}`,
        !isLimited && FORBIDDEN.includes(response.status),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100 * 3 ** attempt));
  }
}
