import fc from 'fast-check';

import { familyBits } from '../../../../operator/addressing/address';
import type { JsonMap } from '../../../../operator/contract/loose-json';
import type { NetworkEntry } from '../../../../operator/contract/networks/entry';
import { isIpamError } from '../../../../operator/errors/ipam-error';
import { adoptionOrder, readAllocation, readInstance, readPrefix } from '../../../../operator/rules/networks';
import { reservedIn } from '../../../../operator/rules/networks/reserved';
import type { NetworkRefusal } from '../../../../operator/rules/networks/types';
import { goldenFit, goldenParent, mayLie } from '../../../support/golden-networks';
import { NetworksModel } from '../../../support/networks-model';
import { A, networkStep, P, type NetworkStep } from '../../../support/network-programs';

type Labels = Readonly<Record<string, string>>;

const keyOf = ({ kind, name }: { readonly kind: string; readonly name: string }): string => `${kind} ${name}`;

/** Blocks by who holds or uses them; subnets are nobody's own. */
function places(entries: readonly NetworkEntry[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (owner: { readonly kind: string; readonly name: string }, text: string): void => {
    found.set(keyOf(owner), `${found.get(keyOf(owner)) ?? ''} ${text}`);
  };
  for (const { block, owner, user, facts } of entries) {
    if (facts?.role === 'subnet') continue;
    add(owner, block.toString());
    if (user !== undefined) add(user, `uses ${block.toString()}`);
  }
  return found;
}

/** Runs a program, and looks at everything after each step. */
class Program {
  readonly model = new NetworksModel();
  /** Allocations that have what they asked for last. */
  readonly #given = new Set<string>();
  readonly #asked = new Map<string, { readonly spec: JsonMap; readonly labels: Labels }>();

  take(each: NetworkStep): void {
    const before = this.model.table.entries();
    const moved = keyOf({ kind: each.on === 'P' ? 'IPPrefix' : 'IPAllocation', name: each.name });
    if (each.spec === undefined) this.#delete(each);
    else if (each.on === 'P') this.model.prefix(each.name, each.spec, each.labels);
    else this.#allocate(each, before);
    this.#check(before, moved);
  }

  #delete({ on, name }: NetworkStep): void {
    this.model.release(on === 'P' ? 'IPPrefix' : 'IPAllocation', name);
    if (on === 'A') this.#asked.delete(name);
  }

  #allocate(
    { name, spec, labels: own }: Extract<NetworkStep, { readonly spec: JsonMap }>,
    before: readonly NetworkEntry[],
  ): void {
    this.#asked.set(name, { spec, labels: own });
    const said = this.model.allocate(name, spec, own);
    if (/^[0-9a-f.:]+\/[0-9]+/u.test(said)) this.#given.add(name);
    else this.#given.delete(name);
    if (said === 'pool/exhausted') this.#isFull(spec);
    else if (this.#given.has(name) && !before.some(({ owner, user }) => owner.name === name || user?.name === name))
      this.#isBestFit(name, spec);
  }

  #fit(parent: NetworkEntry, length: number, besides: readonly NetworkEntry[]) {
    // a prefix is given out of a larger one alone
    if (parent.block.length >= length) return undefined;
    const taken = besides
      .map(({ block }) => block)
      .filter((block) => block.length > parent.block.length && parent.block.containsPrefix(block));
    const never = this.model.at.context.neverChosenIn(parent);
    const skip = parent.facts?.role === 'subnet' ? reservedIn(parent.block).last : undefined;
    return goldenFit({ parent: parent.block, length, taken, never, skip })?.toString();
  }

  #isBestFit(name: string, spec: JsonMap): void {
    const entries = this.model.table.entries();
    const entry = entries.find(({ owner, facts }) => owner.name === name && facts?.role === 'allocation');
    if (entry === undefined || spec['prefix'] !== undefined || entry.facts?.range !== undefined) return;
    const parent = goldenParent(entries, entry.block);
    // what drains gives nothing new
    expect(parent && this.model.at.context.isClosed(parent)).toBe(false);
    const others = entries.filter((each) => each !== entry);
    expect(parent && this.#fit(parent, entry.block.length, others)).toBe(entry.block.toString());
  }

  #isFull(spec: JsonMap): void {
    const { wokenBy } = this.model.lastRefusal as NetworkRefusal;
    const entries = this.model.table.entries();
    if (spec['prefix'] !== undefined || JSON.stringify(spec).includes('"use"')) return;
    for (const block of wokenBy.parents) {
      const parent = entries.find((each) => each.block.equals(block));
      const length = typeof spec['prefixLength'] === 'number' ? spec['prefixLength'] : familyBits(block.family);
      if (parent !== undefined && !this.model.at.context.isClosed(parent))
        expect(this.#fit(parent, length, entries)).toBeUndefined();
    }
  }

  #check(before: readonly NetworkEntry[], moved: string): void {
    const entries = this.model.table.entries();
    // each lies where its kind may lie
    expect(entries.filter((entry) => !mayLie(entries, entry)).map(({ block }) => block.toString())).toEqual([]);
    // nothing moves by what others do
    const now = places(entries);
    for (const [owner, text] of places(before))
      if (owner !== moved) expect([owner, now.get(owner)]).toEqual([owner, text]);
    // each has at most one place, and is still there
    for (const [owner, text] of now) {
      const [kind, name = ''] = owner.split(' ');
      expect([
        owner,
        text
          .trim()
          .split(' ')
          .filter((each) => each !== 'uses').length,
      ]).toEqual([owner, 1]);
      expect([owner, kind === 'IPPrefix' ? this.model.declared.has(name) : this.#asked.has(name)]).toEqual([
        owner,
        true,
      ]);
    }
    // a subnet has something in it, and at most one gateway
    for (const { block, facts } of entries) {
      if (facts?.role !== 'subnet') continue;
      const inside = entries.filter((each) => each.block.length > block.length && block.containsPrefix(each.block));
      expect(inside.length).toBeGreaterThan(0);
      expect(inside.filter((each) => each.facts?.isGateway === true).length).toBeLessThan(2);
      expect(this.model.table.hosts(block)).toEqual(inside.filter((each) => each.facts?.role === 'host'));
    }
  }

  /** Asks for everything once more; what was decided is not written again. */
  again(): void {
    const before = this.model.table.entries();
    const kept = places(before);
    for (const [name, { spec, labels: own }] of this.#asked) {
      const isGiven = kept.has(`IPAllocation ${name}`) && this.#given.has(name);
      if (isGiven) this.model.allocate(name, spec, own);
    }
    expect(this.model.table.entries()).toEqual(before);
  }
}

const inVpc = { 'nephio.org/network-instance': 'vpc-1' };
/** An allocation that wishes for a part of what it has; random programs seldom do. */
const INSIDE_OF_ITS_FORMER: NetworkStep[] = [
  { on: 'P', name: 'p', spec: { kind: 'pool', prefix: '10.0.0.64/26' }, labels: { use: 'x' } },
  {
    on: 'A',
    name: 'b',
    labels: {},
    spec: { kind: 'pool', prefixLength: 27, selector: { matchLabels: { ...inVpc, use: 'x' } } },
  },
  {
    on: 'A',
    name: 'b',
    labels: {},
    spec: { kind: 'pool', prefix: '10.0.0.64/28', selector: { matchLabels: inVpc } },
  },
];

/** A pool that is as small as what is asked for, in one that drains. */
const SMALL_IN_DRAINING: NetworkStep[] = [
  { on: 'P', name: 'p', spec: { kind: 'pool', prefix: '10.0.0.64/28' }, labels: {} },
  { on: 'P', name: 't', spec: { kind: 'pool', prefix: '10.0.0.64/26', draining: true }, labels: {} },
  {
    on: 'A',
    name: 'a',
    labels: {},
    spec: { kind: 'pool', prefixLength: 28, selector: { matchLabels: inVpc } },
  },
];

describe('any program of prefixes and allocations', () => {
  test('keeps every place with one holder, by the best fit, and moves nobody', () => {
    fc.assert(
      fc.property(fc.array(networkStep, { maxLength: 40 }), (steps) => {
        const program = new Program();
        for (const each of steps) program.take(each);
        program.again();
      }),
      { numRuns: 300, examples: [[INSIDE_OF_ITS_FORMER]] },
    );
  });

  test('is empty when everything was released', () => {
    fc.assert(
      fc.property(fc.array(networkStep, { maxLength: 30 }), (steps) => {
        const program = new Program();
        for (const each of steps) program.take(each);
        // what others use goes with the last of them
        for (let round = 0; round < 3; round++) {
          for (const name of A) program.take({ on: 'A', name });
          for (const name of P) program.take({ on: 'P', name });
        }
        expect(program.model.blocks()).toEqual([]);
      }),
      { numRuns: 100, examples: [[SMALL_IN_DRAINING]] },
    );
  });
});

test('no object throws, whatever it holds', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => value as JsonMap);
  const field = fc.oneof(json, fc.constantFrom('10.0.0.0/8', 'network', 'pool', 0, 16, null));
  const spec = fc.record(
    {
      kind: field,
      prefix: field,
      network: field,
      networkInstance: field,
      excluded: field,
      range: field,
      prefixLength: field,
      addressFamily: field,
      selector: fc.oneof(field, fc.record({ matchLabels: field, matchExpressions: field })),
    },
    { requiredKeys: [] },
  );
  const object = fc.record({
    metadata: fc.oneof(json, fc.record({ name: field, labels: field, annotations: field })),
    spec: fc.oneof(json, spec),
    status: json,
  });
  fc.assert(
    fc.property(object, (each) => {
      const read = [readPrefix(each), readAllocation(each)];
      readInstance(each);
      adoptionOrder({
        instance: { namespace: '', name: '' },
        prefixes: [each],
        allocations: [each],
        dump: { '10.0.0.0/8': each },
      });
      return read.every((outcome) => outcome.ok || !isIpamError(outcome));
    }),
    { numRuns: 500 },
  );
});
