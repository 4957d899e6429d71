import type { IpamOperatorProps } from '../../../../../constructs';
import {
  argumentsOf,
  containerOf,
  keysOf,
  namesOf,
  NETWORKS_ALONE,
  one,
  podOf,
  secretFiles,
  settingsOf,
  synthesized,
  VIPS_ALONE,
  type Json,
} from '../../../../support/operator-objects';

const connection = { name: 'ipam-postgres' };
const remote = { url: 'https://ipam.example:8443/api', token: { name: 'ipam-token' } };

const SHAPES = {
  sqlite: {},
  postgres: { store: { postgres: { connection } } },
  remote: { store: { remote } },
  objects: VIPS_ALONE,
} satisfies Record<string, Partial<IpamOperatorProps>>;

describe.each(Object.entries(SHAPES))('the shape %s', (kind, props: Partial<IpamOperatorProps>) => {
  const objects = synthesized(props);

  test('starts the operator with arguments that it understands', () => {
    expect(settingsOf(objects).store).toBe(kind);
  });

  test('mounts a volume at every folder, each volume once', () => {
    const mounted = containerOf(objects)['volumeMounts']!.map((mount) => String(mount['name']));
    expect(mounted).toEqual(podOf(objects)['volumes']!.map((volume) => String(volume['name'])));
    expect(new Set(mounted).size).toBe(mounted.length);
  });

  test('holds every file of a Secret that the arguments name', () => {
    const named = argumentsOf(objects)
      .map((argument) => argument.slice(argument.indexOf('=') + 1))
      .filter((value) => /^\/etc\/ipam-(postgres|remote)/.test(value));
    expect(Object.keys(secretFiles(objects)).sort()).toEqual([...named].sort());
  });

  test('keeps Pods by the labels that select them', () => {
    const selected = one(objects, 'Deployment')['spec']!['selector']!['matchLabels']!;
    expect(one(objects, 'Deployment')['spec']!['template']!['metadata']!['labels']).toMatchObject(selected);
    for (const budget of objects.filter((object) => object['kind'] === 'PodDisruptionBudget')) {
      expect(budget['spec']!['selector']).toEqual({ matchLabels: selected });
    }
  });
});

describe('store: objects', () => {
  const objects = synthesized(VIPS_ALONE);

  test('has no volume, no key, no zones, no certificate, and two Pods of which a Lease says who leads', () => {
    const kinds = objects.map(({ kind }) => String(kind));
    const without = ['PersistentVolumeClaim', 'ConfigMap', 'Certificate', 'Issuer', 'IPAddressPool'];
    expect(kinds.filter((kind) => without.includes(kind))).toEqual([]);
    expect(kinds.filter((kind) => kind.endsWith('WebhookConfiguration'))).toEqual([]);
    expect(one(objects, 'Deployment')['spec']).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate' } });
    expect(namesOf(objects, 'PodDisruptionBudget')).toHaveLength(1);
    const { hashKeySecret, replicas } = settingsOf(objects);
    expect({ hashKeySecret, replicas }).toEqual({ hashKeySecret: '', replicas: 2 });
  });

  test('is used by itself where the Networks door is alone, or stands beside the VIPs door', () => {
    const storeOf = (props: Partial<IpamOperatorProps>) => settingsOf(synthesized(props)).store;
    expect(storeOf(NETWORKS_ALONE)).toBe('objects');
    expect(storeOf({ ...NETWORKS_ALONE, vips: { enabled: true } })).toBe('objects');
    expect(settingsOf(synthesized(NETWORKS_ALONE))).toMatchObject({ networks: true, vips: false, services: false });
    expect(settingsOf(synthesized({ networks: { enabled: true, orphanGraceSeconds: 60 } }))).toMatchObject({
      store: 'sqlite',
      networksOrphanGraceSeconds: 60,
    });
  });

  test('is used by itself where the VIPs door is alone, and gives way to another store, to zones and to other doors', () => {
    const storeOf = (props: Partial<IpamOperatorProps>) => settingsOf(synthesized({ ...VIPS_ALONE, ...props })).store;
    const zones = [{ name: 'lan', prefixes: ['10.0.0.0/24'] }];
    expect(storeOf({})).toBe('objects');
    expect(storeOf({ zones })).toBe('sqlite');
    expect(storeOf({ store: { postgres: { connection } }, zones })).toBe('postgres');
    expect(storeOf({ zones, ipamApi: { expose: {} } })).toBe('sqlite');
  });

  test('may run as one Pod, without a budget that would hold a node', () => {
    const single = synthesized({ ...VIPS_ALONE, replicas: 1 });
    expect(one(single, 'Deployment')['spec']).toMatchObject({ replicas: 1, strategy: { type: 'RollingUpdate' } });
    expect(namesOf(single, 'PodDisruptionBudget')).toEqual([]);
  });
});

describe('store: sqlite', () => {
  const objects = synthesized();

  test('runs one Pod, stopped before the next one starts, without a budget that would hold a node', () => {
    expect(one(objects, 'Deployment')['spec']).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(namesOf(objects, 'PodDisruptionBudget')).toEqual([]);
    expect(podOf(objects)).not.toHaveProperty('topologySpreadConstraints');
  });

  test('needs no Lease, since the lock on the file makes the leader', () => {
    expect(JSON.stringify(objects)).not.toContain('coordination.k8s.io');
  });

  test('keeps its volume when Helm or Argo CD uninstalls the rest', () => {
    expect(one(objects, 'PersistentVolumeClaim')['metadata']!['annotations']).toEqual({
      'helm.sh/resource-policy': 'keep',
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
    });
  });

  test('reaches nothing but DNS and the API server', () => {
    expect(one(objects, 'NetworkPolicy')['spec']!['egress']).toHaveLength(2);
  });
});

describe('store: postgres', () => {
  const objects = synthesized(SHAPES.postgres);

  test('runs two Pods and loses none before the next one is ready', () => {
    expect(one(objects, 'Deployment')['spec']).toMatchObject({
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
    expect(settingsOf(objects).replicas).toBe(2);
  });

  test('lets the cluster take one Pod at a time, and a broken one always', () => {
    expect(one(objects, 'PodDisruptionBudget')['spec']).toMatchObject({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    });
  });

  test('spreads the Pods over zones and nodes where it can', () => {
    const spread = podOf(objects)['topologySpreadConstraints']!.map((each) => [
      each['topologyKey'],
      each['whenUnsatisfiable'],
    ]);
    expect(spread).toEqual([
      ['topology.kubernetes.io/zone', 'ScheduleAnyway'],
      ['kubernetes.io/hostname', 'ScheduleAnyway'],
    ]);
  });

  test('has no volume', () => {
    expect(namesOf(objects, 'PersistentVolumeClaim')).toEqual([]);
    expect(keysOf(podOf(objects))).not.toContain('persistentVolumeClaim');
  });

  test('reads the connection string from a file of the Secret, and writes it nowhere', () => {
    const changed = synthesized({
      store: { postgres: { connection: { ...connection, key: 'uri' }, ca: { name: 'ipam-postgres-ca' } } },
    });
    expect(secretFiles(changed)).toEqual({
      '/etc/ipam-postgres/connection/uri': 'ipam-postgres/uri',
      '/etc/ipam-postgres/ca/ca.crt': 'ipam-postgres-ca/ca.crt',
    });
    expect(settingsOf(changed)).toMatchObject({
      postgresDsnFile: '/etc/ipam-postgres/connection/uri',
      postgresCaFile: '/etc/ipam-postgres/ca/ca.crt',
    });
    expect(secretFiles(objects)).toEqual({ '/etc/ipam-postgres/connection/dsn': 'ipam-postgres/dsn' });
    expect(containerOf(objects)).not.toHaveProperty('env');
  });

  test('uses the Lease of the controllers, that one only', () => {
    const rules = one(objects, 'Role', 'ipam-manager-role')['rules']!.filter((rule) =>
      rule['resources']!.includes('leases' as Json),
    );
    expect(rules).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['ipam-operator'],
        verbs: ['get', 'update'],
      },
    ]);
  });

  test('opens the port of the server', () => {
    const portsTo = (store: IpamOperatorProps['store'] & object): unknown =>
      one(synthesized({ store }), 'NetworkPolicy')['spec']!['egress']![2]!['ports'];
    expect(portsTo(SHAPES.postgres.store)).toEqual([{ protocol: 'TCP', port: 5432 }]);
    expect(portsTo({ postgres: { connection, port: 6432 } })).toEqual([{ protocol: 'TCP', port: 6432 }]);
  });

  test('takes more replicas', () => {
    const changed = synthesized({ ...SHAPES.postgres, replicas: 3 });
    expect(one(changed, 'Deployment')['spec']!['replicas']).toBe(3);
    expect(settingsOf(changed).replicas).toBe(3);
  });
});

describe('store: remote', () => {
  const objects = synthesized(SHAPES.remote);

  test('asks an IPAM-API of version 3 with the token of a Secret', () => {
    expect(settingsOf(objects)).toMatchObject({
      ipamApiUrl: 'https://ipam.example:8443/api',
      ipamApiVersion: '3',
      ipamApiTokenFile: '/etc/ipam-remote/token/token',
      ipamApiCaFile: '',
      hashKeySecret: '',
    });
    expect(secretFiles(objects)).toEqual({ '/etc/ipam-remote/token/token': 'ipam-token/token' });
  });

  test('asks one of version 2 without a token, trusting the CA of a Secret', () => {
    const changed = synthesized({
      store: { remote: { url: 'https://ipam.example', apiVersion: 2, ca: { name: 'corp', key: 'root.pem' } } },
    });
    expect(settingsOf(changed)).toMatchObject({
      ipamApiVersion: '2',
      ipamApiTokenFile: '',
      ipamApiCaFile: '/etc/ipam-remote/ca/root.pem',
    });
    expect(secretFiles(changed)).toEqual({ '/etc/ipam-remote/ca/root.pem': 'corp/root.pem' });
    expect(one(changed, 'NetworkPolicy')['spec']!['egress']![2]!['ports']).toEqual([{ protocol: 'TCP', port: 443 }]);
  });

  test('shows the client certificate of a Secret, mounted as a whole, in place of a token', () => {
    const changed = synthesized({ store: { remote: { url: 'https://ipam.example', certificateSecret: 'login' } } });
    expect(settingsOf(changed)).toMatchObject({ ipamApiLoginCertPath: '/etc/ipam-remote/cert', ipamApiTokenFile: '' });
    const volume = podOf(changed)['volumes']!.find((each) => each['name'] === 'ipam-api-login-cert');
    expect(volume?.['secret']).toEqual({ secretName: 'login', defaultMode: 0o440 });
    const mount = containerOf(changed)['volumeMounts']!.find((each) => each['name'] === 'ipam-api-login-cert');
    expect(mount).toMatchObject({ mountPath: '/etc/ipam-remote/cert', readOnly: true });
  });

  test('has no volume, and may write its intents', () => {
    expect(namesOf(objects, 'PersistentVolumeClaim')).toEqual([]);
    expect(one(objects, 'Role', 'ipam-manager-role')['rules']).toContainEqual({
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: Array.from({ length: 16 }, (_, index) => `ipam-intents-${String(index)}`),
      verbs: ['get', 'list', 'watch', 'patch'],
    });
  });

  test('opens the port of the URL', () => {
    expect(one(objects, 'NetworkPolicy')['spec']!['egress']![2]!['ports']).toEqual([{ protocol: 'TCP', port: 8443 }]);
  });

  test('needs no budget where it runs alone', () => {
    const changed = synthesized({ ...SHAPES.remote, replicas: 1 });
    expect(one(changed, 'Deployment')['spec']!['replicas']).toBe(1);
    expect(namesOf(changed, 'PodDisruptionBudget')).toEqual([]);
  });
});
