import { createInterface } from 'node:readline';
import { arraysHeld } from '../../support/arrays-held';
import type { Contestant, Load, Shape } from './shape';

const CHECKED_OPERATIONS = 64;
// the largest operations are compiled for good after about a quarter of a second
const WARM_UP_MICROSECONDS = 400_000;
const WARM_UP_BATCHES = 3;

let sink = 0;

function sample(contestant: Contestant, microseconds: number): number {
  const start = process.cpuUsage();
  for (let done = contestant.batch; ; done += contestant.batch) {
    for (let i = 0; i < contestant.batch; i++) sink = (sink + contestant.op()) | 0;
    const { user, system } = process.cpuUsage(start);
    if (contestant.isOnce === true || user + system >= microseconds) return ((user + system) * 1_000) / done;
  }
}

async function measure(shape: Shape, load: Load, microseconds: number): Promise<void> {
  const { made: contestant, bytes } = arraysHeld(() => shape(load));
  let checksum = 0;
  for (let i = 0; i < CHECKED_OPERATIONS; i++) checksum = (Math.imul(checksum, 31) + contestant.op()) | 0;
  if (contestant.isOnce === true) for (let i = 0; i < WARM_UP_BATCHES; i++) sample(contestant, microseconds);
  else sample(contestant, WARM_UP_MICROSECONDS);
  console.log(JSON.stringify({ checksum, bytes: bytes + (contestant.bytesOfValues ?? 0) }));
  for await (const _ of createInterface({ input: process.stdin }))
    console.log(String(sample(contestant, microseconds)));
  process.exitCode = Number.isNaN(sink) ? 1 : 0;
}

/**
 * Makes a file of shapes a program that measures one of them, alone in its process, so that no call site sees the types of another one.
 *
 * Arguments: name of the shape, the load as JSON, CPU milliseconds of a sample. It answers one line of JSON when ready (checksum of the
 * first operations, bytes of its typed arrays and values), then nanoseconds of CPU time per operation for every line on standard input.
 */
export function serve(shapes: Readonly<Record<string, Shape>>): void {
  const [name = '', load = '', milliseconds = ''] = process.argv.slice(2);
  const shape = shapes[name];
  if (shape === undefined) throw new RangeError(`no shape "${name}"; there are ${Object.keys(shapes).join(', ')}`);
  void measure(shape, JSON.parse(load) as Load, Number(milliseconds) * 1_000);
}
