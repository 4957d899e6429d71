/**
 * Load of benches W1 and W2, its own process: `load.ts PORT CONNECTIONS REQUESTS FIRST`, prints one JSON line.
 * Each connection sends one review after the other (as the API server does), each review names another Service.
 */
import { Agent, request } from 'node:https';
import { reviewOf } from './review';

const [port = 0, connections = 1, requests = 0, first = 0] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
const bodies = Array.from({ length: requests }, (_, index) => Buffer.from(reviewOf(first + index)));
const latenciesMs: number[] = [];
let errors = 0;

function send(body: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const call = request(
      { agent, host: '127.0.0.1', port, path: '/mutate--v1-service', method: 'POST', headers },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          // a patch must be there: an admitted Service without an address would make the measurement worthless
          resolve(answer.statusCode === 200 && Buffer.concat(parts).includes('"patch":'));
        });
      },
    );
    call.on('error', () => {
      resolve(false);
    });
    call.end(body);
  });
}

async function connection(): Promise<void> {
  for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
    const begin = performance.now();
    if (!(await send(body))) errors += 1;
    latenciesMs.push(performance.now() - begin);
  }
}

async function main(): Promise<void> {
  const begin = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  const seconds = (performance.now() - begin) / 1000;
  latenciesMs.sort((a, b) => a - b);
  const at = (share: number): number => latenciesMs[Math.floor((latenciesMs.length - 1) * share)] ?? NaN;
  console.log(JSON.stringify({ perSecond: requests / seconds, p50: at(0.5), p99: at(0.99), errors }));
  agent.destroy();
}

void main();
