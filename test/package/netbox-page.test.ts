import { OPTIONS } from '../../operator/settings/options';
import { NETBOX_PATHS, ZONE_CHOICES } from '../../operator/backends/netbox/netbox-records';
import { textOf } from '../support/documents';

const PAGE = textOf('docs/netbox.md');
const [, rights = ''] = PAGE.split('**User and permissions.**');

// `/api/ipam/ip-ranges/` is the object type `ipam.iprange`.
function objectType(path: string): string {
  const [, app = '', objects = ''] = /^\/api\/(\w+)\/([\w-]+)\/$/u.exec(path) ?? [];
  return `${app}.${objects
    .replaceAll('-', '')
    .replace(/(x|s)es$/u, '$1')
    .replace(/(?<!s)s$/u, '')}`;
}

describe('the page on NetBox', () => {
  test.each(Object.values(NETBOX_PATHS))('FU-59 names the right on the objects of %s', (path) => {
    expect(rights).toContain(`\`${objectType(path)}\``);
  });

  test('FU-59 names the choice set, the object type of the fields and each field that is written by default', () => {
    expect(PAGE).toContain(`\`${ZONE_CHOICES}\``);
    expect(PAGE).toContain('`ipam.prefix`');
    const names = OPTIONS.netboxFields.default.map((field) => field.split('=')[0] ?? '');
    for (const name of [...names, 'k8s_zone', 'k8s_uuid', 'infra']) expect(PAGE).toContain(`\`${name}\``);
    expect(PAGE).toContain(`\`${OPTIONS.netboxFields.default.join(',')}\``);
  });

  test('FU-52 names the right on tags, and FU-51 the way to retire a zone', () => {
    expect(rights).toContain('`extras.tag`');
    expect(PAGE).toContain('take its containers away');
  });
});
