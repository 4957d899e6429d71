/** The record of the Networks door in one process: room in a /8 with many entries, and what each claim costs in memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { addressFromBigInt } from '../../operator/addressing/address';
import { NestedSpace } from '../../operator/addressing/nested-space';
import { hostPrefix, prefixOf, type Prefix } from '../../operator/addressing/prefix';
import { PrefixSetBuilder } from '../../operator/addressing/prefix-set';
import { addressClaimCodec } from '../../operator/backends/claim-objects/address-claim-codec';
import { ClaimIndex } from '../../operator/backends/claim-objects/claim-index';
import { mapOf, type JsonMap } from '../../operator/contract/loose-json';
import { valueOf } from '../../operator/errors/ipam-error';
import { numbersFrom } from '../support/pseudo-random';
import { slopeOf } from '../support/slope';
import type { BenchResult, BenchSize } from './result';
import { cpuOf, median } from './sqlite/seeded-file';

const SIZES = { full: [10_000, 1_000_000], quick: [10_000, 100_000], tiny: [50, 500] } as const;
const CLAIMS = { full: 100_000, quick: 20_000, tiny: 200 } as const;
const FITS = { full: 5_000, quick: 2_000, tiny: 20 } as const;
const ROUNDS = 5;

const PARENT = prefixOf('10.0.0.0/8');
const FIRST = PARENT.first.toBigInt();
const addressAt = (place: number): Prefix => hostPrefix(addressFromBigInt(4, FIRST + BigInt(place)));

/** Single addresses of the /8 at random, so that nearly every hole has another size. */
function scattered(count: number): { readonly space: NestedSpace<number>; readonly places: number[] } {
  const space = new NestedSpace<number>();
  const next = numbersFrom(count);
  space.insert(PARENT, -1);
  const places: number[] = [];
  while (space.size <= count) {
    const place = 1 + (next() % (2 ** 24 - 2));
    if (space.get(addressAt(place)) !== undefined) continue;
    space.insert(addressAt(place), place);
    places.push(place);
  }
  return { space, places };
}

// What one request for an address costs, CPU microseconds: room is found and taken, then given back.
function fitCost(count: number, fits: number): number {
  const { space } = scattered(count);
  const search = { length: 32, without: new PrefixSetBuilder().add(PARENT.first).build() };
  const costs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const given: Prefix[] = [];
    const cost = cpuOf(() => {
      for (let fit = 0; fit < fits; fit++) {
        const block = space.bestFit(PARENT, search);
        if (block === undefined) throw new RangeError('the /8 is full');
        space.insert(block, fit);
        given.push(block);
      }
    });
    for (const block of given) space.remove(block);
    if (round > 0) costs.push(cost / fits);
  }
  return median(costs);
}

// The same choice by a list of what is taken: the smallest hole, found by looking at every one.
function scanCost(count: number): number {
  const places = scattered(count).places.sort((a, b) => a - b);
  const costs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    let best = Infinity;
    costs.push(
      cpuOf(() => {
        let behind = 1;
        for (const place of places) {
          if (place > behind) best = Math.min(best, place - behind);
          behind = place + 1;
        }
      }),
    );
    if (best === Infinity) throw new RangeError('there was no hole');
  }
  return median(costs.slice(1));
}

function heap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}

// A stored claim as the watch tells it: its own JSON, of which nothing is shared with another one.
function storedClaim(place: number): JsonMap {
  const codec = addressClaimCodec('networks');
  const { first } = addressAt(place);
  const name = `upf-${place}`;
  const owner = { cluster: 'a3f1', apiVersion: 'ipam.nephio.org/v1alpha1', kind: 'IPAllocation', namespace: 'core' };
  const object = valueOf(
    codec.write(
      {
        network: 'core.vpc',
        address: first,
        length: 32,
        family: 4,
        pool: '10.0.0.0/8',
        state: 'held',
        holders: [
          {
            id: `h-${place}`,
            owner: { ...owner, namespaceUid: 'ns-1', name, uid: `uid-${place}` },
            state: 'bound',
            sinceMs: place,
          },
        ],
        takenAtMs: place,
        door: 'networks',
        labels: { site: 'edge-1' },
        entry: { role: 'allocation', kind: 'pool', parent: '10.0.0.0/8', request: '0123456789abcdef' },
      },
      { decision: `d-${place}` },
    ),
  );
  const metadata = {
    ...mapOf(object['metadata']),
    uid: `claim-${place}`,
    resourceVersion: String(place),
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return JSON.parse(JSON.stringify({ ...object, metadata })) as JsonMap;
}

function bytesPerClaim(count: number): number {
  const index = new ClaimIndex(addressClaimCodec('networks'), () => undefined);
  const before = heap();
  for (let place = 1; place <= count; place++) index.put(storedClaim(place));
  const bytes = heap() - before;
  if (index.count('') > 0 || !index.has('core.vpc')) throw new RangeError('the claims are gone');
  return bytes / count;
}

/**
 * Measures the record of the Networks door.
 *
 * @param size - how many entries and claims there are
 * @returns one result for each gate
 */
export function bench(size: BenchSize): Promise<BenchResult[]> {
  const sizes = SIZES[size];
  const [small, large] = sizes.map((count) => fitCost(count, FITS[size])) as [number, number];
  const scan = scanCost(sizes[1]);
  const note = `${sizes[1]} entries in a /8`;
  const lower = 'lower' as const;
  const results: Omit<BenchResult, 'verdict'>[] = [
    { id: 'networks.fit, us CPU', measured: large, gate: 50, better: lower, note },
    {
      id: 'networks.fit, slope over entries',
      measured: slopeOf(sizes, [small, large]),
      gate: 0.25,
      better: lower,
      note,
    },
    { id: 'networks.fit vs a look at every hole', measured: scan / large, gate: 100, better: 'higher', note },
    {
      id: 'networks.memory, bytes per claim',
      measured: bytesPerClaim(CLAIMS[size]),
      gate: 3_072,
      better: lower,
      note: `${CLAIMS[size]} claims`,
    },
  ];
  return Promise.resolve(
    results.map((each) => {
      const isMet = each.better === 'lower' ? each.measured <= each.gate : each.measured >= each.gate;
      return { ...each, verdict: isMet ? 'pass' : 'fail' };
    }),
  );
}
