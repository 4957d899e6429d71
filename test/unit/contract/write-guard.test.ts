import { writeGuard, type ServiceWrites } from '../../../operator/contract/write-guard';

const guardOf = (services: Partial<ServiceWrites> = {}) =>
  writeGuard({
    namespace: 'ipam-system',
    serviceAccount: 'operator',
    services: { conditions: ['a/B'], keys: [], prefixes: [], ...services },
    secrets: { made: [], replaced: [], ofStore: [] },
  });
const namesOf = (services: Partial<ServiceWrites>): readonly string[] =>
  guardOf(services).variables.map(({ name }) => name);
const rulesOf = (services: Partial<ServiceWrites>): string =>
  guardOf(services)
    .validations.map(({ expression }) => expression)
    .join('\n');

describe('writeGuard', () => {
  test('lets nothing of the ingress and of finalizers change where no door writes them', () => {
    expect(namesOf({ finalizersOff: [] })).toEqual(namesOf({}));
    expect(rulesOf({ finalizersOff: [] })).toBe(rulesOf({}));
    expect(rulesOf({})).toContain('object.status.?loadBalancer == oldObject.status.?loadBalancer &&');
    expect(rulesOf({})).not.toMatch(/ingressClasses|oldFinalizers/u);
  });

  test('lets Services be converted and copies be deleted only for a migration', () => {
    expect(rulesOf({})).not.toMatch(/DELETE' \|\||keepalived-clone/u);
    expect(rulesOf({ isConverting: true })).toContain("oldObject.metadata.name.endsWith('-keepalived-clone')");
  });

  test('names the classes whose ingress a door writes, and the finalizers that it takes off', () => {
    const services = {
      ingress: { classes: ['paas.org/vip'], classless: true, conditions: ['c/D'] },
      finalizersOff: ['old/f'],
    };
    const { variables } = guardOf(services);
    expect(variables).toEqual(
      expect.arrayContaining([
        { name: 'ingressClasses', expression: "['paas.org/vip']" },
        { name: 'ingressWithoutClass', expression: 'true' },
        { name: 'conditions', expression: "['a/B']" },
        { name: 'ingressConditions', expression: "['c/D']" },
        { name: 'oldFinalizers', expression: "['old/f']" },
      ]),
    );
    expect(rulesOf(services)).toContain('variables.ingressWithoutClass');
    expect(rulesOf(services)).toContain('c.type in (variables.conditions + variables.ingressConditions)');
    expect(rulesOf({})).not.toContain('ingressConditions');
    expect(rulesOf(services)).toContain('f in variables.oldFinalizers');
  });
});
