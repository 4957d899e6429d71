import * as pulumi from '@pulumi/pulumi';
import { runExample } from '../support/run-example';
import { monitoringKind } from '../cluster/support/monitoring-kind';
import { installCertManagerKinds, installMetalLbKinds } from '../cluster/support/neighbours';
import { PulumiEngine, withoutOperator, type EngineStack, type Run } from './support/pulumi-engine';
import { useControlPlane } from '../cluster/support/use-control-plane';

const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager', 'pulumi', 'pulumi-resource-kubernetes'],
  prepare: async (control) => {
    await Promise.all([installMetalLbKinds(control), installCertManagerKinds(control)]);
    await control.client.apply([
      monitoringKind('ServiceMonitor', 'servicemonitors'),
      monitoringKind('PrometheusRule', 'prometheusrules'),
    ]);
  },
});

/** Lets everything of a program be deleted. */
function undone(program: () => Readonly<Record<string, unknown>>): pulumi.automation.PulumiFn {
  return () => {
    pulumi.runtime.registerResourceTransform(({ props, opts }) => ({
      props,
      opts: { ...opts, protect: false, retainOnDelete: false },
    }));
    return withoutOperator(() => Promise.resolve({ ...program() }))();
  };
}

type Example = readonly [name: string, config: Readonly<Record<string, string>>];

// each is destroyed before the next one: there is one operator in a cluster
const EXAMPLES: readonly Example[] = [
  ['application', { 'shop:addressSecret': 'correct horse battery' }],
  ['smallest', {}],
  ['ha-postgres', { 'ipam-ha:postgresDsn': 'postgresql://ipam:hunter22@db/ipam', 'ipam-ha:postgresCa': 'PEM' }],
];

let engine: PulumiEngine;
beforeAll(() => {
  engine = new PulumiEngine(plane());
});

const stackOf = ([name, config]: Example): Promise<EngineStack> =>
  engine.stack(
    name,
    undone(() => {
      for (const [key, value] of Object.entries(config)) pulumi.runtime.setConfig(key, value);
      return runExample(`examples/pulumi/${name}/index.ts`);
    }),
  );

const created = ({ steps }: Run): readonly string[] =>
  steps
    .filter(({ op, type }) => op === 'create' && type.startsWith('kubernetes:'))
    .map(({ type, name }) => `${type} ${name}`)
    .toSorted();

describe.each(EXAMPLES)('examples/pulumi/%s', (...example) => {
  test('shows in its first preview what it makes, and changes nothing the second time', async () => {
    const preview = await (await stackOf(example)).preview();
    const made = await (await stackOf(example)).up();
    const again = await (await stackOf(example)).preview();
    await (await stackOf(example)).destroy();

    expect(created(preview).length).toBeGreaterThan(5);
    expect(created(made)).toEqual(created(preview));
    expect(again.steps).toEqual([]);
  }, 300_000);
});
