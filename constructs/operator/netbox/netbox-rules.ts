import { mapped, props } from '../../props-kit/containers';
import { neededElsewhere } from '../../props-kit/rule';
import { SECRET_KEY } from '../../props-kit/secret-key';
import { SERVER_URL } from '../../props-kit/server-url';
import { FLAG, formed, NUMBER, SOME_TEXT } from '../../props-kit/values';
import type { NetBoxProps } from './netbox-props';

const FIELD_NAME = formed(/^[a-z0-9_]{1,50}$/u, 'the name of a custom field (a-z, 0-9 and _, at most 50 characters)');

/** Props of NetBox. */
export const NETBOX = props<NetBoxProps>({
  url: SERVER_URL,
  token: neededElsewhere(SECRET_KEY),
  ca: SECRET_KEY,
  tag: SOME_TEXT,
  fields: mapped(FIELD_NAME, SOME_TEXT),
  refreshSeconds: NUMBER,
  adopt: FLAG,
});
