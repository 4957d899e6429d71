import { addressClaimProblems, nameOfClaim } from '../../../../operator/contract/kinds/address-claim';
import { claimObject, CLAIM_SAMPLES } from '../../../support/address-claim-samples';

const bound = {
  network: 'vpc',
  address: '10.0.0.5',
  door: 'networks',
  state: 'bound',
  holder: { apiVersion: 'ipam.nephio.org/v1alpha1', kind: 'IPAllocation', namespace: 'core', name: 'upf' },
};

/** Makes the object as it would be sent to the API server: a field without a value does not exist. */
const sent = (object: unknown): unknown => JSON.parse(JSON.stringify(object));

describe('addressClaimProblems', () => {
  test.each(CLAIM_SAMPLES.filter(({ refusedAt }) => refusedAt === undefined))(
    'accepts $title',
    ({ object, before }) => {
      expect(addressClaimProblems(sent(object), before)).toEqual([]);
    },
  );

  test.each(CLAIM_SAMPLES.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuses $title at $refusedAt',
    ({ object, before, refusedAt }) => {
      const problems = addressClaimProblems(sent(object), before);
      expect(problems.map(({ field }) => field)).toContain(refusedAt);
      for (const { code, message, field } of problems) {
        expect(code).toBe('claim/invalid');
        expect(message).toContain(String(field));
      }
    },
  );

  test.each([
    [{ ...bound, adress: '10.0.0.5' }, 'spec.adress', 'did you mean "address"?'],
    [{ ...bound, holder: { ...bound.holder, uuid: '1' } }, 'spec.holder.uuid', 'did you mean "uid"?'],
  ])('POOL-11 refuses an unknown field, which the API server would drop', (spec, field, hint) => {
    const [problem] = addressClaimProblems(claimObject('vpc.10.0.0.5', spec));
    expect(problem?.field).toBe(field);
    expect(problem?.message).toContain(hint);
  });

  test('finds every problem of the shape at once, each with its path', () => {
    const problems = addressClaimProblems(claimObject('vpc.10.0.0.5', { ...bound, state: 'free', labels: { a: 1 } }));
    expect(problems.map(({ field }) => field)).toEqual(expect.arrayContaining(['spec.state', 'spec.labels.a']));
  });

  test('says the value of the field', () => {
    const [problem] = addressClaimProblems(claimObject('vpc.10.0.0.6', bound));
    expect(problem?.message).toBe(
      'metadata.name is "vpc.10.0.0.6" but must be <network>.<address>[-<length>], IPv6 in full with dots in place of colons',
    );
  });

  test.each([[undefined], ['text'], [{}], [{ spec: bound }]])('refuses %j, which is no object of the kind', (value) => {
    expect(addressClaimProblems(value).length).toBeGreaterThan(0);
  });
});

describe('nameOfClaim', () => {
  test('is the name that the check accepts', () => {
    for (const { object, before, refusedAt } of CLAIM_SAMPLES) {
      if (refusedAt !== undefined || before !== undefined) continue;
      expect(nameOfClaim(object.spec)).toBe(object.metadata.name);
    }
    expect(CLAIM_SAMPLES.length).toBeGreaterThan(20);
  });

  test('is absent where the address is not one', () => {
    expect(nameOfClaim({ ...bound, address: '10.0.0.5/32' } as never)).toBeUndefined();
  });
});
