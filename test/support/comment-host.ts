import { type ChildProcess, spawn } from 'node:child_process';

/** The comments of a pull request on a host that is a process of its own, since the action is run synchronously. */

interface HostComment {
  id: number;
  body: string;
  user: { type: string };
  author: { id: number };
  author_association: string;
}

export interface CommentHost {
  url: string;
  state(): Promise<{ comments: HostComment[]; requests: string[]; tokens: string[] }>;
  /** Comments that exist already; the status of all responses, if it is not a success. */
  set(state: { comments?: Partial<HostComment>[]; status?: number; failures?: number }): Promise<void>;
  close(): void;
}

// Both APIs: /repos/…/issues/1/comments and /projects/…/merge_requests/1/notes.
const SOURCE = `
const { createServer } = require('node:http');
let state = { comments: [], requests: [], tokens: [], status: 0, failures: 0 };
let next = 1;
const added = (one) => ({
  id: next++, body: '', user: { type: 'Bot' }, author: { id: 7 }, author_association: 'NONE', html_url: 'https://host.example/' + next, ...one,
});
// The test runs the action synchronously: meanwhile it does not notice that a connection was closed.
createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    const url = new URL(request.url, 'http://x');
    const answer = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(value === undefined ? '' : JSON.stringify(value));
    if (url.pathname === '/state') {
      if (request.method === 'GET') return answer(200, state);
      const given = JSON.parse(text);
      state = { ...state, ...given, ...(given.comments && { comments: given.comments.map(added) }) };
      return answer(200, {});
    }
    state.requests.push(request.method + ' ' + url.pathname);
    state.tokens.push(request.headers.authorization ?? request.headers['private-token']);
    if (state.failures-- > 0) return answer(502, { message: 'Bad gateway' });
    if (state.status) return answer(state.status, { message: 'Resource not accessible by integration' });
    if (url.pathname === '/user') return answer(200, { id: 7 });
    const id = Number(/\\/(?:comments|notes)\\/(\\d+)$/.exec(url.pathname)?.[1]);
    if (request.method === 'GET') {
      const [size, page] = ['per_page', 'page'].map((name) => Number(url.searchParams.get(name)));
      return answer(200, state.comments.slice(size * (page - 1), size * page));
    }
    if (request.method === 'POST') {
      const one = added(JSON.parse(text));
      state.comments.push(one);
      return answer(201, one);
    }
    const found = state.comments.find((one) => one.id === id);
    if (!found) return answer(404, { message: 'Not Found' });
    if (request.method === 'DELETE') {
      state.comments = state.comments.filter((one) => one !== found);
      return answer(204);
    }
    return answer(200, Object.assign(found, JSON.parse(text)));
  });
}).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); });
`;

export async function openCommentHost(): Promise<CommentHost> {
  const child: ChildProcess = spawn(process.execPath, ['-e', SOURCE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) => {
    child.stdout?.once('data', (line) => resolve(String(line).trim()));
  });
  return {
    url,
    state: async () => (await fetch(`${url}/state`)).json() as ReturnType<CommentHost['state']>,
    async set(state) {
      await fetch(`${url}/state`, { method: 'POST', body: JSON.stringify(state) });
    },
    close: () => void child.kill(),
  };
}
