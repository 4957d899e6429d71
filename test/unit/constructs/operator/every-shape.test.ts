import { Chart, Testing } from 'cdk8s';
import { IpamOperator, type IpamOperatorProps } from '../../../../constructs';
import { EVERY_SHAPE, keysOf, synthesized, zones } from '../../../support/operator-objects';

describe('every shape', () => {
  const CLUSTER_SCOPED =
    /^(Namespace|ClusterRole|ClusterRoleBinding|(Mutating|Validating)WebhookConfiguration|CustomResourceDefinition|Validating.*Policy.*)$/;

  test.each(EVERY_SHAPE.map((props, i) => [i, props] as const))('%i has no known bad habit', (_i, props) => {
    const objects = synthesized(props);
    expect(keysOf(objects)).not.toContain('caBundle');
    expect(keysOf(objects)).not.toContain('externalIPs');
    expect(keysOf(objects).filter((key) => key.startsWith('cdk8s.io/'))).toEqual([]);
    const wrong = objects.filter(
      (object) => CLUSTER_SCOPED.test(object['kind']!) === 'namespace' in object['metadata']!,
    );
    expect(wrong).toEqual([]);
    const ids = objects.map(({ kind, metadata }) => [kind, metadata!['namespace'], metadata!['name']].join(' '));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('8: lets the webhooks depend on Deployment, Service and whatever makes the certificate', () => {
    const before = (props: Partial<IpamOperatorProps>): string[] => {
      const operator = new IpamOperator(new Chart(Testing.app(), 'chart'), 'operator', { zones, ...props });
      return operator.node.findChild('Webhooks').node.dependencies.map(({ node }) => node.id);
    };
    expect(before({})).toEqual(expect.arrayContaining(['Namespace', 'Deployment', 'Services', 'Certificate']));
    expect(before({ certificates: 'self-managed', createNamespace: false })).toEqual(
      expect.arrayContaining(['Deployment', 'Services', 'CaBundleAccess']),
    );
  });
});
