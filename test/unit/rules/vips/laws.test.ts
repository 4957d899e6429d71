import fc from 'fast-check';

import { addressOf } from '../../../../operator/addressing/address';
import { countGroup } from '../../../support/count-group';
import { groupObject } from '../../../support/vip-kind-samples';
import { VipsModel, type AskedService } from '../../../support/vips-model';

type Step =
  | { readonly kind: 'put'; readonly asked: AskedService }
  | { readonly kind: 'delete' | 'clear' | 'forget'; readonly name: string };

const GROUPS = [
  groupObject('a', { segment: '10.0.0.0/29', excludedIPs: ['10.0.0.0', '10.0.0.6-10.0.0.7'] }),
  groupObject('b', { segments: ['10.0.1.2/31', 'fd00::/126'], priority: 1, excludedIPs: ['fd00::/127'] }),
  groupObject('late', { segment: '10.0.0.4/30' }),
];
const OCCUPIED = '10.0.0.2';
const GIVEN = ['10.0.0.1', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.1.2', '10.0.1.3', 'fd00::2', 'fd00::3'];

const name = fc.constantFrom('r', 's', 't', 'u', 'v', 'w');
const wish = fc.option(fc.constantFrom(...GIVEN.slice(0, 6), OCCUPIED, '10.0.0.0', '10.9.9.9', 'foo'), {
  nil: undefined,
});
const families = fc.constantFrom(
  { ipFamilies: ['IPv4'] },
  { ipFamilies: ['IPv6'] },
  { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' },
  { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
);
const asked = fc
  .record({ name, wish, families, type: fc.constantFrom('LoadBalancer', 'LoadBalancer', 'ClusterIP') })
  .map(({ name: of, wish: loadBalancerIP, families: stack, type }): AskedService => ({
    name: of,
    spec: { ...stack, type, ...(loadBalancerIP === undefined ? {} : { loadBalancerIP }) },
  }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: asked.map((each): Step => ({ kind: 'put', asked: each })) },
  fc.record({ kind: fc.constantFrom('delete' as const, 'clear' as const, 'forget' as const), name }),
);

function take(model: VipsModel, each: Step): void {
  if (each.kind === 'put') {
    model.put(each.asked);
    return;
  }
  const stored = model.services.get(`test/${each.name}`);
  if (each.kind === 'delete') model.delete(each.name);
  // a status that someone empties, and an IP that someone deletes; the Service is looked at at once
  else if (stored !== undefined) {
    if (each.kind === 'clear') stored.shown = [];
    else for (const address of stored.shown) model.record.delete(address.toString());
    model.reconcile(`test/${each.name}`);
  }
}

function run(steps: readonly Step[], check?: (model: VipsModel) => void): VipsModel {
  const model = new VipsModel(GROUPS);
  model.occupied.set(OCCUPIED, 'Node/worker-1');
  for (const each of steps) {
    take(model, each);
    check?.(model);
  }
  model.settle();
  return model;
}

const shownBy = (model: VipsModel) =>
  [...model.services.keys()].flatMap((key) => model.ingress(key).map((address) => ({ address, key })));

describe('whatever Services ask for, and in whichever order', () => {
  test('no address is shown by two, none is outside of the groups, and all that is shown is on record', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        run(steps, (model) => {
          const shown = shownBy(model);
          expect(new Set(shown.map(({ address }) => address)).size).toBe(shown.length);
          for (const { address, key } of shown) {
            expect(GIVEN).toContain(address);
            expect(model.holders()[address]).toBe(key);
          }
        });
      }),
    );
  });

  test('a wish is given exactly, or what was there before is kept', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), asked, (steps, last) => {
        const model = run(steps);
        const key = `test/${last.name}`;
        const before = model.services.has(key) ? model.ingress(key) : [];
        const wanted = last.spec?.['loadBalancerIP'] as string | undefined;
        fc.pre(wanted !== undefined && last.spec?.['type'] === 'LoadBalancer');
        model.put(last);
        const four = model.ingress(key).filter((address) => address.includes('.'));
        expect(four.every((address) => address === wanted || before.includes(address))).toBe(true);
      }),
    );
  });

  test('a second look changes nothing', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const model = run(steps);
        const before = [model.holders(), shownBy(model), [...model.services.values()].map(({ writes }) => writes)];
        model.settle();
        expect([model.holders(), shownBy(model), [...model.services.values()].map(({ writes }) => writes)]).toEqual(
          before,
        );
      }),
    );
  });

  test('equal steps lead to equal addresses', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        expect(run(steps).holders()).toEqual(run(steps).holders());
      }),
    );
  });

  test('the counters of a group make up its total', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const model = run(steps);
        for (const group of ['a', 'b']) {
          const held = model.usesOf(group).map(({ address }) => address);
          const counts = countGroup(model.group(group), { held, quarantined: [], foreign: [addressOf(OCCUPIED)] });
          const parts = [counts.allocated, counts.free, counts.quarantined, counts.foreign].map(BigInt);
          expect(parts.reduce((sum, each) => sum + each, 0n)).toBe(BigInt(counts.total));
        }
      }),
    );
  });
});
