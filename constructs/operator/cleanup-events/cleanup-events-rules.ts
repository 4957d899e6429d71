import { props } from '../../props-kit/containers';
import { SECRET_KEY } from '../../props-kit/secret-key';
import { SERVER_URL } from '../../props-kit/server-url';
import type { CleanupEventsProps } from './cleanup-events-props';

/** Props of clean-up events. */
export const CLEANUP_EVENTS = props<CleanupEventsProps>({ url: SERVER_URL, token: SECRET_KEY, ca: SECRET_KEY });
