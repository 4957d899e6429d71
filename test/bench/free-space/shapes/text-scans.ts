/** Shapes of peers that know what is in use by text, written in TypeScript: the cost of one more allocation. */
import { numbersFrom } from '../../../support/pseudo-random';
import { addressAt } from './tasks';
import { serve } from '../serve';
import type { Contestant, Load } from '../shape';

const textAt = (offset: number): string => `10.${offset >>> 16}.${(offset >>> 8) & 255}.${offset & 255}`;

/** Walks the pool from its first address and asks a map by text (MetalLB shape). */
const scan = (load: Load): Contestant => {
  const used = new Map<string, number>();
  for (let offset = 0; offset < load.live; offset++) used.set(textAt(offset), offset);
  const op = (): number => {
    let offset = 0;
    while (used.has(textAt(offset))) offset++;
    used.set(textAt(offset), offset);
    used.delete(textAt(offset));
    return offset;
  };
  return { op, batch: 1 };
};

/** Reads all reservations into a map by text for each request, then walks the pool (whereabouts shape). */
const rebuildMap = (load: Load): Contestant => {
  const reservations = Array.from({ length: load.live }, (_, offset) => ({
    ip: textAt(offset),
    owner: String(offset),
  }));
  const op = (): number => {
    const used = new Map(reservations.map((each) => [each.ip, each.owner]));
    let offset = 0;
    while (used.has(textAt(offset))) offset++;
    reservations.push({ ip: textAt(offset), owner: 'one more' });
    reservations.pop();
    return offset;
  };
  return { op, batch: 1 };
};

/** Reads all objects of the pool into a set of numbers for each claim, then walks the pool (Cluster API in-cluster shape). */
const rebuildSet = (load: Load): Contestant => {
  const objects = Array.from({ length: load.live }, (_, offset) => ({ spec: { address: textAt(offset) } }));
  const valueOf = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const base = addressAt(4, 0).w3;
  const op = (): number => {
    const used = new Set(objects.map((each) => valueOf(each.spec.address)));
    let offset = 0;
    while (used.has(base + offset)) offset++;
    return offset;
  };
  return { op, batch: 1 };
};

/** Starts anywhere and asks address by address, in a pool of 2^14 addresses at 97 % (Kubernetes IPAddress shape). */
const probe = (load: Load): Contestant => {
  const size = 2 ** 14;
  const next = numbersFrom(11);
  const used = new Map<string, number>();
  for (let offset = 0; offset < size; offset++) used.set(textAt(offset), offset);
  while (used.size > load.live) used.delete(textAt(next() % size));
  const op = (): number => {
    let offset = next() % size;
    while (used.has(textAt(offset))) offset = (offset + 1) % size;
    used.set(textAt(offset), offset);
    used.delete(textAt(offset));
    return offset;
  };
  return { op, batch: 20 };
};

serve({ scan, rebuildMap, rebuildSet, probe });
