import type { Refusal } from '../../../operator/errors/outcome';
import { netboxProblems, type NetBoxFields } from '../../../operator/settings/netbox-settings';
import { refused } from '../../props-kit/refused';
import { servesServices, type ServicesDoorOwner } from '../services-door/services-process';
import { storeKind, type StoreOwner } from '../store/store-shape';
import { fieldTexts } from './netbox-process';
import type { NetBoxProps } from './netbox-props';
import { given } from '../../props-kit/given';

/** Props on which NetBox depends. */
export type NetBoxContext = Pick<ServicesDoorOwner, 'services' | 'zonePools'> & Pick<StoreOwner, 'store'>;

const FIELDS: NetBoxFields = {
  netboxUrl: 'netbox.url',
  netboxTokenFile: 'netbox.token',
  netboxFields: 'netbox.fields',
  zonePools: 'zonePools',
  store: 'store',
};

/**
 * Checks NetBox, as the operator does at its start.
 *
 * @param netbox - as given to the operator
 * @param props - on which it depends
 * @returns every problem at once; a token is never quoted
 */
export function netboxRefusals(netbox: NetBoxProps, props: NetBoxContext): readonly Refusal[] {
  const { zonePools = 'prefixes', store } = props;
  const { url, token, fields = {} } = netbox;
  const [parted] = Object.entries(fields).filter(([, value]) => /[,\p{Cc}]|^\s|\s$/u.test(value));
  return [
    ...netboxProblems(
      {
        netboxUrl: url,
        netboxTokenFile: given(token),
        netboxFields: fieldTexts(fields),
        zonePools,
        store: storeKind(store),
        standalone: false,
        services: servesServices(props),
      },
      FIELDS,
    ),
    ...(parted === undefined
      ? []
      : [refused(`netbox.fields[${parted[0]}]`, `"${parted[1]}" holds what parts fields; give a text without commas`)]),
  ];
}
