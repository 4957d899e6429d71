/**
 * Admissions at a steady rate, whatever becomes of the ones before, in a process of its own: `admissions.ts PORT PER_SECOND SECONDS`.
 * Prints the time of each call since 1970, its milliseconds and whether it got an address, as JSON. The namespaces are asked in turn
 * once before, uncounted, since the first Service of a namespace makes its Secret.
 */
import { Agent, request } from 'node:https';
import { reviewOf } from '../webhook/review';
import type { Admission } from './beside-resync';

const NAMESPACES = 1_000;
const CONNECTIONS = 16;

const [port = 0, perSecond = 0, seconds = 0] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false });

function send(index: number): Promise<Admission> {
  const body = Buffer.from(reviewOf(index));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const begin = performance.now();
  return new Promise((resolve) => {
    const end = (ok: boolean): void => {
      resolve({ atMs: performance.timeOrigin + begin, ms: performance.now() - begin, ok });
    };
    const path = '/mutate--v1-service';
    const call = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        end(answer.statusCode === 200 && Buffer.concat(parts).includes('"patch":'));
      });
    });
    call.on('error', () => {
      end(false);
    });
    call.end(body);
  });
}

async function warmUp(): Promise<void> {
  const line = Array.from({ length: NAMESPACES }, (_, index) => index).values();
  const work = async (): Promise<void> => {
    for (const index of line) await send(index);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

async function main(): Promise<void> {
  await warmUp();
  const begin = performance.now();
  const calls: Promise<Admission>[] = [];
  for (let count = 0; count < perSecond * seconds; count++) {
    const waitMs = begin + (count * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    calls.push(send(NAMESPACES + count));
  }
  console.log(JSON.stringify(await Promise.all(calls)));
  agent.destroy();
}

void main();
