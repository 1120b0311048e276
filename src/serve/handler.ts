import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { corsHeaders } from './cross-origin.ts';
import { answer, words, type Answer, type Site } from './answer.ts';

/** One request and what became of it, for the log. */
export interface Served {
  method: string;
  target: string;
  status: number;
  milliseconds: number;
  /** What kept the answer from being sent whole: the client went away, the file changed, a defect; null when nothing did. */
  error: Error | null;
}

/** The request handler of a site. Nothing that a client or the disk does makes it throw. */
export function handler(
  site: Site,
  served: (line: Served) => void,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  return async (req, res) => {
    const began = performance.now();
    const { method = '', url: target = '' } = req;
    let error: Error | null;
    try {
      error = await serve(site, req, res);
    } catch (fault) {
      // Headers that were sent promised more bytes than can follow: only breaking off tells the client.
      res.destroy();
      error = fault as Error;
    }
    served({ method, target, status: res.statusCode, milliseconds: performance.now() - began, error });
  };
}

/** Returns what went wrong on the server's side though an answer was given. */
async function serve(site: Site, req: IncomingMessage, res: ServerResponse): Promise<Error | null> {
  let fault: Error | null = null;
  const { method = '', url: target = '', headers } = req;
  const reply = await answer(site, { method, target, headers }).catch((error: NodeJS.ErrnoException) => {
    fault = error;
    return refusal(error, corsHeaders(site.serviceOrigins, headers.origin));
  });
  try {
    await send(reply, req, res);
  } finally {
    await reply.release();
  }
  return fault;
}

function refusal(error: NodeJS.ErrnoException, headers: Record<string, string>): Answer {
  if (error.code === 'EACCES' || error.code === 'EPERM') return words(403, 'The file may not be read.', headers);
  if (error.code === 'EMFILE' || error.code === 'ENFILE') {
    return words(503, 'Too many files are open; ask again.', { ...headers, 'Retry-After': '1' });
  }
  return words(500, 'The server failed; its log says why.', headers);
}

async function send(reply: Answer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { status, headers, body } = reply;
  // A body that nobody will read is not waited for.
  if (status === 405) headers['Connection'] = 'close';
  res.writeHead(status, headers);
  if (req.method === 'HEAD') {
    res.end();
  } else if (body instanceof Uint8Array) {
    res.end(body);
  } else {
    await pipeline(body, res);
  }
}
