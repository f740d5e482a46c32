#include "CApplePayPKCS11.h"

#include <dlfcn.h>

const CK_FUNCTION_LIST *CApplePaySystem_load_pkcs11(const char *path, const char **reason) {
    *reason = NULL;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        *reason = dlerror();
        return NULL;
    }
    CK_RV (*getFunctionList)(const CK_FUNCTION_LIST **) =
        (CK_RV(*)(const CK_FUNCTION_LIST **))dlsym(module, "C_GetFunctionList");
    const CK_FUNCTION_LIST *functions = NULL;
    if (getFunctionList == NULL || getFunctionList(&functions) != 0) return NULL;
    return functions;
}
