// A line with a long way: passes on what comes, each piece half a round trip later, and lets a connection wait for its first.
// Usage: node bench/line.mjs <port to lead to> <milliseconds of a round trip>   prints the port to connect to
import { connect, createServer } from 'node:net';

const [to, roundTrip] = process.argv.slice(2).map(Number);

/** Pieces arrive in order, since all wait equally long. */
function pass(from, into, first) {
  let open = Date.now() + first;
  from.on('data', (chunk) => {
    const wait = Math.max(0, open - Date.now()) + roundTrip / 2;
    open = Math.max(open, Date.now());
    setTimeout(() => into.writable && into.write(chunk), wait);
  });
  from.on('end', () => setTimeout(() => into.end(), roundTrip / 2 + first));
  from.on('error', () => into.destroy());
}

const server = createServer((near) => {
  const far = connect(to, '127.0.0.1');
  near.setNoDelay(true);
  far.setNoDelay(true);
  pass(near, far, roundTrip);
  pass(far, near, 0);
}).listen(0, '127.0.0.1', () => console.log(server.address().port));
