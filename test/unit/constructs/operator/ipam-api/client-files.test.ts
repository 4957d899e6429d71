import { ipamOperatorProblems, type IpamOperatorProps } from '../../../../../constructs';
import { podOf, secretFiles, settingsOf, synthesized, zones } from '../../../../support/operator-objects';

const messagesOf = (props: Partial<IpamOperatorProps>): readonly string[] =>
  ipamOperatorProblems({ zones, ...props }).map(({ message }) => message);

describe('ipamApi.expose.clients', () => {
  test('are a file of a Secret, with the CA of their certificates', () => {
    const objects = synthesized({
      ipamApi: {
        expose: { clients: { secret: { name: 'ipam-clients' } }, clientCa: { name: 'corp', key: 'root.pem' } },
      },
    });
    expect(settingsOf(objects)).toMatchObject({
      ipamApiClientsFile: '/etc/ipam-api-clients/clients.yaml',
      ipamApiClientCaFile: '/etc/ipam-api-client-ca/root.pem',
    });
    expect(secretFiles(objects)).toEqual({
      '/etc/ipam-api-clients/clients.yaml': 'ipam-clients/clients.yaml',
      '/etc/ipam-api-client-ca/root.pem': 'corp/root.pem',
    });
  });

  test('are a file of a ConfigMap', () => {
    const objects = synthesized({
      ipamApi: { expose: { clients: { configMap: { name: 'ipam-clients', key: 'all.json' } } } },
    });
    expect(settingsOf(objects).ipamApiClientsFile).toBe('/etc/ipam-api-clients/all.json');
    expect(podOf(objects)['volumes']).toContainEqual({
      name: 'ipam-api-clients',
      configMap: { name: 'ipam-clients', items: [{ key: 'all.json', path: 'all.json' }] },
    });
  });

  test.each([
    ['no file', { clients: {} }, 'ipamApi.expose.clients: the file is in one place; give either secret or configMap'],
    [
      'two files',
      { clients: { secret: { name: 'a' }, configMap: { name: 'b' } } },
      'ipamApi.expose.clients: the file is in one place; give either secret or configMap',
    ],
    [
      'a CA without clients',
      { clientCa: { name: 'ca' } },
      'ipamApi.expose.clientCa: has no effect without clients, of which none may call version 3; leave it out, or give clients',
    ],
  ])('refuse %s', (_what, expose, message) => {
    expect(messagesOf({ ipamApi: { expose } })).toEqual([message]);
  });
});
