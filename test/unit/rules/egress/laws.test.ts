import fc from 'fast-check';

import { addressOf } from '../../../../operator/addressing/address';
import { readList } from '../../../../operator/rules/egress/read-namespace';
import { egressSpec } from '../../../support/egress-kind-samples';
import { EgressModel, entry } from '../../../support/egress-model';

const SPECS: readonly object[] = [
  egressSpec(entry('10.0.1.0/29')),
  egressSpec(entry('10.0.1.0/29'), entry('10.0.2.0/30')),
  egressSpec(entry('10.0.2.0/30'), entry('10.0.1.0/29', { reservedIPs: ['10.0.1.2'] })),
  { ...egressSpec(entry('10.0.1.0/30')), allowOverlap: true },
  { ...egressSpec(entry('10.0.1.0/29')), quarantineSeconds: 60 },
  egressSpec(entry('10.0.1.1/29')),
];
const LISTS = [
  undefined,
  undefined,
  '',
  '10.0.1.1',
  '10.0.1.3',
  '10.0.1.3,10.0.2.1',
  '10.0.2.2,10.0.1.4',
  '10.0.1.5',
  'foo',
];

const name = fc.constantFrom('a', 'b', 'c', 'd');
const ipam = fc.constantFrom('one', 'two');
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('make' as const), name, ipam, list: fc.constantFrom(...LISTS) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('annotate' as const),
      name,
      ipam: fc.option(ipam, { nil: undefined }),
      list: fc.constantFrom(...LISTS, 'same' as const),
    }),
  },
  fc.record({ kind: fc.constant('gone' as const), name }),
  fc.record({ kind: fc.constant('dying' as const), name }),
  fc.record({ kind: fc.constant('spec' as const), ipam, spec: fc.constantFrom(...SPECS), isForced: fc.boolean() }),
  fc.record({ kind: fc.constant('no-ipam' as const), ipam }),
  fc.record({ kind: fc.constant('later' as const) }),
  fc.record({
    kind: fc.constant('uses' as const),
    address: fc.constantFrom('10.0.1.1', '10.0.1.3'),
    isOn: fc.boolean(),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const FORCE = { annotations: { 'egressip-ipam-operator.redhat-cop.io/force': 'true' } };

type Of<K extends Step['kind']> = Extract<Step, { readonly kind: K }>;

/** Carries out each kind of step; returns the namespaces whose addresses it may change. */
const TAKE: { readonly [K in Step['kind']]: (model: EgressModel, step: Of<K>) => readonly string[] } = {
  make: (model, each) => {
    if (model.namespaces.has(each.name)) return [];
    model.namespace(each.name, each.ipam, each.list);
    return [each.name];
  },
  annotate: (model, each) => {
    model.annotate(each.name, each.ipam, each.list === 'same' ? model.list(each.name) : each.list);
    return [each.name];
  },
  gone: (model, each) => {
    model.gone(each.name);
    return [each.name];
  },
  dying: (model, each) => {
    const stored = model.namespaces.get(each.name);
    if (stored !== undefined) stored.isDying = true;
    return [];
  },
  spec: (model, each) => {
    model.ipam(each.ipam, each.spec, each.isForced ? FORCE : {});
    return each.isForced ? [...model.namespaces.keys()] : [];
  },
  'no-ipam': (model, each) => {
    model.goneIpam(each.ipam);
    return [...model.namespaces.keys()];
  },
  later: (model) => {
    model.later();
    return [];
  },
  uses: (model, each) => {
    if (each.isOn) model.occupied.set(each.address, 'Node/worker-1');
    else model.occupied.delete(each.address);
    return [];
  },
};

const take = (model: EgressModel, each: Step): readonly string[] => TAKE[each.kind](model, each as never);

const listed = (model: EgressModel, of: string): readonly string[] => {
  const list = readList(model.list(of) ?? '');
  return list.kind === 'listed' ? list.addresses.map(String).sort() : [];
};

function check(model: EgressModel): void {
  const held = model.claims.map(({ network, address }) => `${network} ${address.toString()}`);
  expect(new Set(held).size).toBe(held.length);
  const settled = [...model.namespaces].filter(
    ([of, { annotations, isDying }]) =>
      !isDying && annotations.size > 0 && model.reason(of) === undefined && model.held(of).length > 0,
  );
  for (const [of] of settled) expect(listed(model, of)).toEqual([...model.held(of)].sort());
}

/** Runs a program; the namespaces are settled after every step. */
function run(steps: readonly Step[], after: (model: EgressModel, touched: readonly string[]) => void): EgressModel {
  const model = new EgressModel();
  model.ipam('one', SPECS[0] ?? {});
  for (const each of steps) {
    const touched = take(model, each);
    model.settle();
    after(model, touched);
  }
  return model;
}

const program = fc.array(step, { maxLength: 25 });

describe('EG-case-68 whatever happens to namespaces and EgressIPAMs, and in whichever order', () => {
  test('no address is held by two, and a list tells what its namespace holds', () => {
    fc.assert(fc.property(program, (steps) => void run(steps, check)));
  });

  test('an address stays with its namespace until that one, or its EgressIPAM, gives it up', () => {
    fc.assert(
      fc.property(program, (steps) => {
        let before: ReadonlyMap<string, readonly string[]> = new Map();
        run(steps, (model, touched) => {
          const others = [...before].filter(([of]) => !touched.includes(of));
          const lost = others.map(([of, had]) => had.filter((address) => !model.held(of).includes(address)));
          expect(lost.flat()).toEqual([]);
          before = new Map([...model.namespaces.keys()].map((of) => [of, model.held(of)]));
        });
      }),
    );
  });

  test('a second look writes nothing', () => {
    fc.assert(
      fc.property(program, (steps) => {
        const model = run(steps, () => undefined);
        model.settle(); // what was freed last may be given to an older namespace
        const [claims, writes] = [model.claims, [...model.namespaces.values()].map((each) => each.writes)];
        model.settle();
        expect(model.claims).toEqual(claims);
        expect([...model.namespaces.values()].map((each) => each.writes)).toEqual(writes);
      }),
    );
  });

  test('an address that the cluster uses is never given, and one that is held stays', () => {
    fc.assert(
      fc.property(program, (steps) => {
        let before: readonly string[] = [];
        run(steps, (model) => {
          const now = model.claims
            .filter(({ isQuarantined }) => !isQuarantined)
            .map(({ address }) => address.toString());
          const had = before;
          expect(now.filter((text) => model.occupied.has(text) && !had.includes(text))).toEqual([]);
          before = now;
        });
      }),
    );
  });

  test('a namespace waits for a full pool alone, and only while every address of it is used', () => {
    fc.assert(
      fc.property(program, (steps) => {
        const model = run(steps, () => undefined);
        model.settle();
        for (const [of, problem] of model.problems) {
          if (problem.reason !== 'PoolExhausted' || !model.namespaces.has(of)) continue;
          const [cidr = ''] = problem.message.split(' ');
          const pool = model
            .plans()
            .flatMap(({ pools }) => pools)
            .find((each) => each.cidr === cidr);
          const used = [...model.claims.map(({ address }) => address), ...[...model.occupied.keys()].map(addressOf)];
          const free = pool?.usable.ranges().some(({ first, last }) => {
            const inside = used.filter((address) => first.compareTo(address) <= 0 && last.compareTo(address) >= 0);
            return new Set(inside.map(String)).size < Number(last.toBigInt() - first.toBigInt() + 1n);
          });
          expect({ of, free }).toEqual({ of, free: false });
        }
      }),
    );
  });
});
