import fc from 'fast-check';

import type { JsonMap } from '../../operator/contract/loose-json';
import { GATEWAY, ofNetwork, selectNi, type NetworksModel } from './networks-model';

type Labels = Readonly<Record<string, string>>;
/** One change of an IPPrefix or an IPAllocation; without a spec it goes. */
export type NetworkStep =
  | { readonly on: 'P' | 'A'; readonly name: string; readonly spec: JsonMap; readonly labels: Labels }
  | { readonly on: 'P' | 'A'; readonly name: string; readonly spec?: undefined };

const network = (prefix: string, name = 'n1', more: JsonMap = {}): JsonMap => ({ network: name, prefix, ...more });
const of = (kind: string, prefix: string, more: JsonMap = {}): JsonMap => ({ kind, prefix, ...more });
const X = { use: 'x' };
/** Names of IPPrefixes. */
export const P = ['p', 'q', 'r', 's', 't', 'u'];
/** Names of IPAllocations. */
export const A = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const PREFIXES: readonly JsonMap[] = [
  ...[of('aggregate', '10.0.0.0/24'), of('aggregate', '10.0.0.0/26'), of('aggregate', 'fd00::/64')],
  ...[network('10.0.0.1/28'), network('10.0.0.2/28'), network('10.0.0.0/28'), network('10.0.0.1/27')],
  ...[network('10.0.0.17/28', 'n2'), network('10.0.0.33/29'), network('10.0.0.40/31', 'n2'), network('fd00::1/126')],
  ...[network('10.0.0.65/28', 'n2'), of('pool', '10.0.0.0/29'), of('pool', '10.0.0.0/27')],
  network('10.0.0.1/28', 'n1', { excluded: ['10.0.0.4-10.0.0.6'] }),
  network('10.0.0.0/28', 'n1', { range: '10.0.0.8-10.0.0.11' }),
  ...[
    of('pool', '10.0.0.64/26'),
    of('pool', '10.0.0.64/28'),
    of('pool', '10.0.0.64/25', { excluded: ['10.0.0.64/30'] }),
  ],
  ...[network('10.0.0.1/28', 'n1', { draining: true }), of('pool', '10.0.0.64/26', { draining: true })],
  ...[of('loopback', '10.0.0.128/29'), of('loopback', '10.0.0.130/32'), of('loopback', '10.0.0.128/30')],
];
const pool = (prefixLength: number, labels: Labels = {}): JsonMap => ({
  kind: 'pool',
  prefixLength,
  ...selectNi(labels),
});
const ALLOCATIONS: readonly JsonMap[] = [
  ...[ofNetwork('n1'), ofNetwork('n1'), ofNetwork('n2'), ofNetwork('n1', GATEWAY), ofNetwork('n1', X)],
  ...[
    { ...ofNetwork('n1'), prefix: '10.0.0.5/28' },
    { ...ofNetwork('n1'), addressFamily: 'ipv6' },
  ],
  ...[pool(28), pool(30), pool(27, X), { kind: 'loopback', ...selectNi() }],
  ...[of('pool', '10.0.0.64/28', selectNi()), of('loopback', '10.0.0.130/32', selectNi())],
];

const labels = fc.constantFrom<Labels>({}, GATEWAY, X, { ...GATEWAY, ...X });
/** Any step about few names in a small space, so that steps meet. */
export const networkStep: fc.Arbitrary<NetworkStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      on: fc.constant('P' as const),
      name: fc.constantFrom(...P),
      spec: fc.constantFrom(...PREFIXES),
      labels,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      on: fc.constant('A' as const),
      name: fc.constantFrom(...A),
      spec: fc.constantFrom(...ALLOCATIONS),
      labels,
    }),
  },
  fc.record({ on: fc.constant('P' as const), name: fc.constantFrom(...P) }),
  fc.record({ on: fc.constant('A' as const), name: fc.constantFrom(...A) }),
);

/** Makes a step, without looking at what comes of it. */
export function takeStep(model: NetworksModel, { on, name, ...rest }: NetworkStep): void {
  if (rest.spec === undefined) model.release(on === 'P' ? 'IPPrefix' : 'IPAllocation', name);
  else if (on === 'P') model.prefix(name, rest.spec, rest.labels);
  else model.allocate(name, rest.spec, rest.labels);
}
